"""`python -m maverick_tui` is `maverick`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder that we were started in, which may have a typer.py of its own

    from maverick_tui.cli import main

    main()
