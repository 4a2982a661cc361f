"""What the command line leaves with, as numbers and as the help tells them."""

FAILED = 1
NO_SUCH_AGENT = 3
NOT_TRUSTED = 4
TIMED_OUT = 5
OVER_LIMIT = 6
NOBODY_TO_ASK = 7
INTERRUPTED = 130
NOBODY_READS = 141
"""What a shell says of a program that SIGPIPE has ended."""

EPILOG = """\b
Exit codes:
    0  fine
    1  problems found (check), or the command failed
    2  wrong usage
    3  no such agent
    4  not trusted
  130  interrupted"""

UNDO_EPILOG = """\b
Exit codes:
    0  fine, or there was nothing to do
    1  paths were left as they are (each is named, with the reason), or the command failed
    2  wrong usage
  130  interrupted"""

RUN_EPILOG = """\b
Exit codes:
    0  the agent has done its work
    1  it has failed
    2  wrong usage
    3  no such agent
    4  not trusted
    5  out of time (--timeout)
    6  a limit of turns or cost was reached (--max-turns, --max-cost, --fuse, or the agent's own)
    7  a call was refused, since there was nobody to ask (see --allow)
  130  interrupted
  141  what it has to say could not be written: nobody reads it any more"""

WAIT_EPILOG = """\b
Exit codes, of several runs that of the worst, in this order:
    1  it has failed, or its process was killed
  130  it was interrupted, or this command was
    6  a limit of turns or cost was reached
    7  it needs a person: it asks something
    5  out of time: the run, or this command (--timeout)
    0  it has done its work
    2  wrong usage"""

BATCH_EPILOG = """\b
Exit codes:
    0  all prompts have their results
    1  some have failed, or are left, or the command failed
    2  wrong usage, or lines that are no prompts
    3  no such agent
    4  not trusted
    6  the fuse of a day has nothing left; the same command goes on later
  130  interrupted (143: told to end); the same command goes on"""
