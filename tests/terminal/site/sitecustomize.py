"""Python runs this before the application: what it logs would otherwise be lost behind its own screen."""

import logging
import os
import sys

# The scripted model is told to go in the middle of a sentence, and says so.
if (log := os.environ.get("MAVERICK_TEST_LOG")) and "offline" not in sys.orig_argv:
    handler = logging.FileHandler(log, delay=True)
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
