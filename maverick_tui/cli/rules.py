"""`maverick rules`: what runs unasked, what asks, what is refused, whatever agents' own files say."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maverick_tui.cli.asking import is_anybody_there, require_no_agent, says_yes
from maverick_tui.cli.exit_codes import EPILOG, FAILED

if TYPE_CHECKING:
    from maverick_tui.agent.permissions.rule_texts import Effect
    from maverick_tui.agent.permissions.standing import StandingRule
    from maverick_tui.history.past_calls import Tried

rules_app = typer.Typer(epilog=EPILOG, rich_markup_mode=None)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; errors are text on stderr.")]
ForAgent = Annotated[str, typer.Option("--agent", metavar="NAME", help="For this agent alone.")]
OfAgent = Annotated[str, typer.Option("--agent", metavar="NAME", help="The rule that is for this agent alone.")]
InProject = Annotated[
    bool, typer.Option("--project", help="In the project's file, .maverick/rules.toml, not in yours.")
]
Rule = Annotated[str, typer.Argument(metavar="RULE", help="Such as 'Bash(git status:*)', 'Read(src/**)' or 'Edit'.")]
_MOST_SHOWN = 14


@rules_app.callback(invoke_without_command=True)
def rules(context: typer.Context) -> None:
    """Say once and for all what agents may do unasked, what they ask first, and what they may not do.

    Rules stand in rules.toml beside your settings, and in .maverick/rules.toml of a project. deny wins over ask, and
    ask over allow. What a project's file allows counts once you have trusted it; what it denies and asks about counts
    at once. A rule is heeded by the runs that are at work, too. Keys, start-up files and the like ask whatever the
    rules say.

    What a rule allows is exactly what it says: without a * the very command, with one any single plain command like it.
    A * stays in its word and its folder; as the last word it stands for all that follows. What a rule denies is that,
    and whatever may amount to it.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@rules_app.command("list", short_help="List the rules that hold here.", epilog=EPILOG)
def list_rules(
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="Only those that hold for this agent.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the rules that hold in this folder: yours, and the project's.

    JSON: {"rules": [{decision, rule, agent, file, counts}], "problem": text or null}

    counts is false for what a project's file allows and you have not trusted.
    """
    from maverick_tui.agent.permissions.standing import shown_rules, user_file
    from maverick_tui.cli.layout import display_path, wrap
    from maverick_tui.cli.place import tell_of_stranger
    from maverick_tui.inert import inert, whole_line
    from maverick_tui.masking.redact import redact

    tell_of_stranger(Path.cwd())
    standing = _all_rules()
    listed = [rule for rule in standing.rules if not agent or rule.agent in ("", agent)]
    if as_json:
        _print_json({"rules": shown_rules(listed), "problem": standing.problem or None})
        return
    lines, file = list[str](), None
    for rule in listed:
        if rule.file != file:
            file = rule.file
            lines += ["", display_path(str(file))]
        whose = f"  for {whole_line(rule.agent)}" if rule.agent else ""
        waits = "" if rule.counts else "  (not trusted: maverick rules trust)"
        lines.append(f"  {rule.effect:<5}  {whole_line(redact(rule.entry))}{whose}{waits}")
    if not listed and not standing.problem:
        lines += ["", f"There are no rules. `maverick rules add` writes one to {display_path(str(user_file()))}."]
    lines += ["", *wrap(inert(standing.problem))] if standing.problem else []
    typer.echo("\n".join(lines[1:]))
    if standing.problem:
        raise typer.Exit(FAILED)


@rules_app.command("test", short_help="Say what would become of a call, and by which rule.", epilog=EPILOG)
def try_call(
    call: Annotated[str, typer.Argument(metavar="CALL", help="A call: 'Bash(git log -p)', 'Edit(docs/a.md)'.")],
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="As a call of this agent.")] = "",
    unattended: Annotated[bool, typer.Option("--unattended", help="As where nobody can be asked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say whether a call runs, asks first or is refused in this folder, and by which rule. Nothing is run.

    Without --agent it is judged as a call of an agent that may use every tool.

    JSON: {"decision": "allow", "ask" or "deny", "rule": the rule or null, "file": its file or null, "reason": text,
    "note": what allows it where no rule does, or why one that seems to cover it does not}
    """
    from maverick_tui.cli.call_trial import judge_call
    from maverick_tui.cli.layout import display_path
    from maverick_tui.inert import whole_line
    from maverick_tui.masking.redact import redact

    found, note = judge_call(call, agent, person=not unattended)
    rule = found.rule
    if as_json:
        entry, file = (redact(rule.entry), str(rule.file)) if rule else (None, None)
        told = {"decision": found.decision, "rule": entry, "file": file, "reason": found.reason, "note": note}
        _print_json(told)
        return
    by = f"by {rule.effect} {redact(rule.entry)} in {display_path(str(rule.file))}" if rule else "by no rule"
    is_allowed = found.decision == "allow"
    typer.echo(whole_line(f"{found.decision} {by}{f': {note}' if note and is_allowed else ''}"))
    for line in (found.reason, "" if is_allowed else note):
        if line:
            typer.echo(whole_line(line))


@rules_app.command("add", short_help="Add a rule, after trying it on all past calls.", epilog=EPILOG)
def add(
    rule: Rule,
    ask: Annotated[bool, typer.Option("--ask", help="Ask first, instead of allowing.")] = False,
    deny: Annotated[bool, typer.Option("--deny", help="Refuse, instead of allowing.")] = False,
    agent: ForAgent = "",
    project: InProject = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it would have been about.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add a rule. Before it is saved you see which calls of your kept runs it would have been about.

    As `-` the rule is read from standard input, where nobody sees what is in it in the list of processes.

    JSON: {"decision": ..., "rule": ..., "file": ..., "added": true or false, "would_have": {"calls": how many,
    "denied": how many of them you denied, "of": how many were looked at, "examples": {call: how often}}}
    """
    from maverick_tui.agent.permissions.rule_files import add_rule
    from maverick_tui.agent.permissions.rule_texts import wrong_with
    from maverick_tui.agent.permissions.standing import StandingRule
    from maverick_tui.cli.layout import display_path
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.past_calls import try_out
    from maverick_tui.inert import whole_line

    if as_json and not (yes or dry_run):
        raise typer.BadParameter("It needs --yes or --dry-run.", param_hint="--json")
    if ask and deny:
        raise typer.BadParameter("Use either --ask or --deny.", param_hint="--ask, --deny")
    rule = sys.stdin.read().strip() if rule == "-" else rule
    effect: Effect = "deny" if deny else "ask" if ask else "allow"
    if problem := wrong_with(rule, effect):
        raise ConfigError(
            f"{rule!r} is no rule: {problem}.", hint="Write it as 'Bash(git status:*)' or 'Read(src/**)'."
        )
    file, folder = _file(project=project)
    wanted = StandingRule(effect, rule.strip(), file, agent, folder)
    tried = try_out(wanted)
    if not as_json:
        typer.echo("\n".join(_tried_lines(wanted, tried)))
    added = False
    if not dry_run:
        require_no_agent()
        if not yes and not is_anybody_there():
            raise ConfigError("There is nobody to ask whether to add it.", hint="Add it with --yes.")
        if not yes and not says_yes(f"Write it to {display_path(str(file))}?"):
            raise ConfigError("It was not added.", hint="Nothing was changed.")
        added = add_rule(file, effect, wanted.entry, agent, project=folder)
    if as_json:
        figures = {"calls": tried.count, "denied": sum(tried.denied.values()), "of": tried.looked_at}
        examples = dict([*tried.calls.items()][:_MOST_SHOWN])
        told = {"decision": effect, "rule": wanted.entry, "file": str(file), "added": added}
        _print_json({**told, "would_have": {**figures, "examples": examples}})
    elif not dry_run:
        typer.echo(f"{display_path(str(file))}: {'added.' if added else 'it is there already.'}")
        if agent and not _is_known(agent):
            typer.echo(f"No agent here is called {whole_line(agent)}: the rule holds where one is.")
        if added and project and effect == "allow":
            typer.echo("It counts once you have trusted the file: maverick rules trust")


@rules_app.command("remove", short_help="Take a rule out.", epilog=EPILOG)
def remove(rule: Rule, agent: OfAgent = "", project: InProject = False) -> None:
    """Take a rule out of your file, or with --project out of the project's."""
    from maverick_tui.agent.permissions.rule_files import remove_rule
    from maverick_tui.cli.layout import display_path
    from maverick_tui.exceptions import ConfigError

    require_no_agent()
    file, folder = _file(project=project)
    if not file.exists() or not remove_rule(file, rule.strip(), agent, project=folder):
        whose = f" for {agent}" if agent else " for all agents"
        raise ConfigError(f"{file} has no rule {rule}{whose}.", path=str(file), hint=_where_it_is(rule.strip()))
    typer.echo(f"{display_path(str(file))}: removed.")


@rules_app.command("trust", short_help="Let a project's file allow what it says.", epilog=EPILOG)
def trust(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting it.")] = False,
) -> None:
    """Trust the rules of this project, so that what they allow runs unasked. A change of a file ends the trust.

    All files count that hold here: that of this folder, and those above it in the same repository.
    """
    from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
    from maverick_tui.agent.permissions.standing import content_of, project_file, rules_of
    from maverick_tui.cli.layout import display_path
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.inert import whole_line

    require_no_agent()
    store, files = TrustStore(), {project_file(folder): folder for folder in _with_rules()}
    if revoke:
        for file in files:
            typer.echo(
                f"{display_path(str(file))}: {'no longer trusted.' if store.revoke(file) else 'was not trusted.'}"
            )
        return
    found = {file: content_of(file, folder) or b"" for file, folder in files.items()}
    if not found:
        raise ConfigError("This project has no rules.", hint="There is nothing to trust.")
    for file, content in found.items():
        typer.echo(f"{display_path(str(file))} allows:")
        for rule in rules_of(file, content):
            whose = f"  to {whole_line(rule.agent)}" if rule.agent else ""
            if rule.effect == "allow":
                typer.echo(f"  {whole_line(rule.entry)}{whose}")  # unmasked: what is trusted is seen
    if not yes:
        if not is_anybody_there():
            raise NotTrustedError("There is nobody to ask.", hint="Read it, then run: maverick rules trust --yes")
        if not says_yes("May agents do that unasked in this project?"):
            raise NotTrustedError("It was not trusted.", hint="Nothing was changed.")
    for file, content in found.items():
        store.trust(file, content)
    typer.echo("Trusted.")


def _file(*, project: bool) -> tuple[Path, Path | None]:
    """The person's file; or that of the project, the nearest one that is there or one in this folder, and whose."""
    from maverick_tui.agent.permissions.standing import project_file, user_file

    if not project:
        return user_file(), None
    folder = next(iter(_with_rules()), Path.cwd())
    return project_file(folder), folder


def _with_rules() -> list[Path]:
    """The folders of this project that have rules, the nearest first."""
    from maverick_tui import paths
    from maverick_tui.agent.permissions.standing import is_absent, project_file

    return [folder for folder in paths.project_folders(Path.cwd()) if not is_absent(project_file(folder))]


def _where_it_is(rule: str) -> str:
    """How to take out a rule that is not where it was looked for."""
    from maverick_tui.agent.permissions.standing import user_file
    from maverick_tui.inert import whole_line

    options = [
        [*(["--agent", one.agent] if one.agent else []), *([] if one.file == user_file() else ["--project"])]
        for one in _all_rules().rules
        if one.entry == rule
    ]
    commands = [f"`{whole_line(shlex.join(['maverick', 'rules', 'remove', rule, *one]))}`" for one in options]
    return f"It is there by {' and '.join(commands)}." if commands else "See `maverick rules list`."


def _is_known(agent: str) -> bool:
    from maverick_tui.agent.catalog.discovery import discover

    return any(listing.name == agent for listing in discover(Path.cwd()).agents)


def _all_rules() -> Any:
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.permissions.standing import RuleBook

    return RuleBook(Path.cwd(), None, TrustStore().is_trusted)()


def _tried_lines(rule: StandingRule, tried: Tried) -> list[str]:
    """What it would have been about: "would have allowed 14 past calls, of which you denied 2"."""
    from maverick_tui.cli.layout import count
    from maverick_tui.inert import whole_line

    did = {"allow": "allowed", "ask": "asked about", "deny": "denied"}[rule.effect]
    if not tried.count:
        return [f"It would have {did} none of {count(tried.looked_at, 'past call')}."]
    refused = sum(tried.denied.values())
    of_which = f", of which you denied {refused}" if refused else ""
    lines = [f"It would have {did} {count(tried.count, 'past call')} of {tried.looked_at:,}{of_which}:"]
    shown = [*tried.denied, *(call for call in tried.calls if call not in tried.denied)][:_MOST_SHOWN]
    for call in shown:
        denied = f"  (denied {tried.denied[call]})" if call in tried.denied else ""
        lines.append(f"  {tried.calls[call]:>4} x  {whole_line(call)[:100]}{denied}")
    more = len(tried.calls) - len(shown)
    return [*lines, f"  and {more:,} others"] if more else lines


def _print_json(data: Any) -> None:
    typer.echo(json.dumps(data, indent=2, ensure_ascii=True))
