"""All checks, in the order in which they are told. A new one is a function that yields findings, and a line here."""

from __future__ import annotations

from maverick_tui.doctor.endpoint import check_credentials, check_endpoint
from maverick_tui.doctor.files import check_agents, check_folder, check_rules, check_settings
from maverick_tui.doctor.findings import Check, Situation
from maverick_tui.doctor.hosts import check_hosts, check_notifications
from maverick_tui.doctor.kept import check_index, check_kept_runs, check_state_folder
from maverick_tui.doctor.programs import GIT, check_cli, check_git, check_ourselves
from maverick_tui.doctor.terminal import check_terminal
from maverick_tui.doctor.terminal_questions import TerminalAnswers

CHECKS = (
    Check("Maverick", check_ourselves),
    Check("Claude Code CLI", check_cli),
    Check("Credentials", check_credentials),
    Check("Endpoint", check_endpoint),
    Check(GIT, check_git),
    Check("Terminal", check_terminal),
    Check("Settings", check_settings),
    Check("Agents", check_agents),
    Check("Rules", check_rules),
    Check("Folder", check_folder),
    Check("State folder", check_state_folder),
    Check("Kept runs", check_kept_runs),
    Check("Index of runs", check_index),
    Check("Hosts", check_hosts),
    Check("Notifications", check_notifications),
)


def situation_here(terminal: TerminalAnswers) -> Situation:
    """What there is to look at: this folder, and the settings, or the defaults if they cannot be used."""
    from pathlib import Path

    from maverick_tui.config import MaverickConfig
    from maverick_tui.exceptions import ConfigError

    trouble: ConfigError | None = None
    try:
        settings = MaverickConfig.load()
    except ConfigError as error:
        settings, trouble = MaverickConfig.model_construct(), error
    return Situation(Path.cwd(), settings, trouble, terminal)
