"""What the command line leaves with, as numbers and as the help tells them."""

FAILED = 1
NO_SUCH_AGENT = 3
NOT_TRUSTED = 4
INTERRUPTED = 130

EPILOG = """\b
Exit codes:
    0  fine
    1  problems found (check), or the command failed
    2  wrong usage
    3  no such agent
    4  not trusted
  130  interrupted"""
