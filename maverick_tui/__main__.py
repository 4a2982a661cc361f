"""`python -m maverick_tui` is `maverick`."""

from maverick_tui.cli import main

if __name__ == "__main__":
    main()
