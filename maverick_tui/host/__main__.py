"""`python -P -m maverick_tui.host`: a host, started by `starting.py`."""

import gc
import sys

gc.disable()  # hundreds of classes are made now and none goes; the host turns it on again once it is connected

from maverick_tui.host.process import main  # noqa: E402
from maverick_tui.threads import end_process  # noqa: E402

code = main()
end_process(code)
sys.exit(code)
