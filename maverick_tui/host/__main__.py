"""`python -P -m maverick_tui.host`: a host, started by `starting.py`."""

import sys

from maverick_tui.host.process import main

sys.exit(main())
