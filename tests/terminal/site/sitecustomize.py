"""Python runs this before the application: what it logs would otherwise be lost behind its own screen."""

import logging
import os
import sys

# The scripted model is told to go in the middle of a sentence, and says so.
if (log := os.environ.get("MAVERICK_TEST_LOG")) and "offline" not in sys.orig_argv:
    handler = logging.FileHandler(log, delay=True)
    handler.setLevel(logging.WARNING)
    # asyncio says so of a child whose transport is closed in the moment in which it ends: the transport reaps it.
    handler.addFilter(lambda record: "Unknown child process pid" not in record.getMessage())
    logging.getLogger().addHandler(handler)

# A host that waits for its order loads the SDK meanwhile, which takes a second of a processor: for an agent that does
# without, it is in vain. Nothing that such an agent needs may import it.
if os.environ.get("MAVERICK_TEST_WITHOUT_SDK"):
    sys.modules["claude_agent_sdk"] = None  # type: ignore[assignment]
