"""Judge: decides of every call whether it runs, asks first, or is refused. Both engines and all modes go by it.

With a person, what only reads runs, and in mode acceptEdits edits inside the working directory; all else asks. Without
one, what `allowed_tools` plainly cover runs, in mode plan if it only reads, and all else is refused. Standing rules
change that: what they deny is refused, what they ask about asks, what they allow runs. Some places ask whatever the
rules say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple

from maverick_tui.agent.permissions.aliased import calls_by_aliases
from maverick_tui.agent.permissions.always_asked import (
    SHELLS,
    TOO_LONG,
    Call,
    changed_by,
    first_reason,
    named_to_change,
    why_always_asked,
    whys_always_asked,
)
from maverick_tui.agent.permissions.commands import Commands
from maverick_tui.agent.permissions.forbidding import is_about, is_named
from maverick_tui.agent.permissions.leading import places_of, real_paths
from maverick_tui.agent.permissions.noting import noting
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.places import Places, parts_of_git
from maverick_tui.agent.permissions.roots import Roots
from maverick_tui.agent.permissions.rule_texts import Effect
from maverick_tui.agent.permissions.rules import covers, falls_short, is_absolute
from maverick_tui.agent.permissions.shell import mentions, words_within
from maverick_tui.agent.permissions.skills_begun import is_replaced, skill_begun_by
from maverick_tui.agent.permissions.standing import NONE, Standing, StandingRule
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.agent.tools import (
    EDIT_TOOLS,
    HARMLESS_TOOLS,
    LOOKING_TOOLS,
    READING_TOOLS,
    SCHEDULING_TOOLS,
    SUBAGENT_TOOLS,
    WRITES_NOTHING,
    ToolRule,
    is_same_tool,
    may_use,
    parse_tool,
)
from maverick_tui.git.repository import find_repository
from maverick_tui.modes import narrower

ASKS = "It asks first."
"""The reason where there is nothing more to say: a tool that is not known to be harmless."""
PLANNING = "In mode plan nothing but reading runs unasked."
_MOST_FOLDERS = 20
"""In which git is asked what it starts."""


class Judgement(NamedTuple):
    """What is to happen with a call, and why, in words for a person and for the model."""

    decision: Literal["allow", "ask", "deny"]
    reason: str = ""
    is_asked_each_time: bool = False
    """Whether nothing that a person has allowed before can answer it."""
    lacks_person: bool = False
    """Whether it is refused only because there is nobody to ask."""
    rule: StandingRule | None = None
    """The standing rule by which it was decided."""
    causes: frozenset[str] = frozenset()
    """The rules to ask about it, what is wrong with the rules, and what git would run that is only to look: whoever was
    not told of all of these when they allowed something has not allowed this."""
    grounds: tuple[str, ...] = ()
    """All that it asks each time for by what it reaches, of which the reason says the first."""


class _About(NamedTuple):
    """A standing rule that is about a call, or may be."""

    rule: StandingRule
    is_certain: bool


def _more_than_a_start(call: Call) -> str:
    """Starting a subagent is not asked about, since what it does is; a worktree or a mode for it would be."""
    more = sorted(call.arguments.keys() - {"description", "prompt", "subagent_type", "model", "run_in_background"})
    return f"It wants to do more than start a subagent: {', '.join(more)}." if more else ""


class Judge:
    """Judges the calls of one run or session; `person` says that somebody can be asked.

    `is_harmless` knows tools of the agent's own that do nothing by themselves, and `only_reads` those that change
    nothing, but may read what their arguments name; `git_programs` tells which settings of a repository
    make git run something, `git_starts` in which folders it has hooks and which commands its settings name, or None if
    that cannot be known; `started` are the commands of the agent's own hooks and servers, which run unasked, and
    `settings_files` name more of them; `own_commands` tells those that Maverick's own settings have it run;
    `takes_memory` says that Claude Code takes in what a `CLAUDE.md` says and names;
    `environment` are variables that its programs are given in addition to ours; `standing` tells the standing rules;
    `widest_mode` a mode in which calls are made at most, or nothing.
    """

    def __init__(
        self,
        allowed_tools: Sequence[str],
        cwd: Path,
        *,
        person: bool,
        is_harmless: Callable[[str], bool] = lambda _tool: False,
        only_reads: Callable[[str], bool] = lambda _tool: False,
        git_programs: Callable[[Path], Sequence[str]] = lambda _folder: (),
        git_starts: Callable[[Path], tuple[Sequence[Path], Sequence[str]] | None] = lambda _folder: ((), ()),
        started: Collection[str] = (),
        settings_files: Collection[Path] = (),
        own_commands: Callable[[], Collection[str]] = tuple,
        takes_memory: bool = False,
        environment: Mapping[str, str] | None = None,
        standing: Callable[[], Standing] = lambda: NONE,
        widest_mode: Callable[[], str] = lambda: "",
    ) -> None:
        self._standing = standing
        self._widest_mode = widest_mode
        self._allowed = tuple(allowed_tools)
        self._rules = [parse_tool(entry) for entry in allowed_tools]
        self._granted: list[ToolRule] = []
        around = Surroundings(cwd, started, environment, settings_files, own_commands, takes_memory=takes_memory)
        self._places = Places(around)
        self.takes_memory = takes_memory
        self._cwd = self._places.cwd
        self._person = person
        self._is_harmless = is_harmless
        self._only_reads = only_reads
        bash = [rule.rule for rule in self._rules if rule.name == "Bash"]
        self._commands = Commands(bash, self._places, git_programs)
        self._git_starts = git_starts
        self._editing = Lock()

    def mode_for(self, mode: str | None) -> str:
        """The mode that a call is to be judged in, of an agent in this one."""
        return narrower(self._widest_mode(), mode or "")

    def judge(
        self, tool: str, arguments: Mapping[str, Any], *, mode: str | None = None, here: str | Path | None = None
    ) -> Judgement:
        """What is to happen with the call. What would ask is refused where nobody can or should be asked."""
        self._places.around.look_again()
        judgement = self._judged_alone(tool, arguments, mode, here)
        skill = skill_begun_by(arguments.get("prompt")) if tool in SCHEDULING_TOOLS else None
        if skill is None or judgement.decision == "deny":
            return judgement
        return _with_skill(judgement, skill["skill"], self._judged_alone("Skill", skill, mode, here))

    def _judged_alone(
        self, tool: str, arguments: Mapping[str, Any], mode: str | None, here: str | Path | None
    ) -> Judgement:
        call = Call(tool, arguments, Path(here or self._cwd).resolve())
        if not may_use(tool, self._allowed):
            return Judgement("deny", f"{tool} is not among the tools that this agent may use.")
        if arguments.get("durable") and tool == "CronCreate":
            return Judgement("deny", "Jobs end with the run that made them: leave durable out.")
        if tool in SCHEDULING_TOOLS and is_replaced(arguments.get("prompt")):
            return Judgement("deny", "Such a prompt stands for something that nobody has seen: say what is to be done.")
        named = (mentions(call.command) or words_within(call.command)) if tool in SHELLS else ()
        made = call.paths if tool in EDIT_TOOLS else parts_of_git(named)
        if not made or (tool in SHELLS and not self._doubt(call)):
            return self._with_grounds(call, self._judged(call, mode))
        with self._editing:  # of two calls at once, each would find the other's file missing
            judgement = self._judged(call, mode)
            if judgement.decision != "deny":
                self._places.expect(made, call.here)
        return self._with_grounds(call, judgement)

    def _with_grounds(self, call: Call, judgement: Judgement) -> Judgement:
        """With all that it asks each time for: only the first was looked for. What it makes is expected by now, as it
        will be whenever it is judged again.
        """
        if judgement.decision != "ask" or not judgement.is_asked_each_time:
            return judgement
        with noting() as noted:
            said = [*filter(None, self._whys_each_time(call))]
        return judgement._replace(grounds=tuple(dict.fromkeys((*noted, *said))))

    def _judged(self, call: Call, mode: str | None) -> Judgement:
        standing = self._standing()
        roots_at = cache(Roots)  # whose links, and what git knows there, are looked at once for all rules
        denied = next(self._about(call, standing, "deny", roots_at), None)
        if denied and denied.is_certain:
            return Judgement("deny", f"There is a rule against it: {denied.rule.text}.", rule=denied.rule)
        asked = [denied] if denied else [*self._about(call, standing, "ask", roots_at)]
        reason, is_asked_each_time = self._reason(call, mode, standing)
        if asked:
            by_rule = _why_by_rules(asked)
            reason = by_rule if reason in ("", ASKS) else f"{reason} {by_rule}"
            is_asked_each_time = is_asked_each_time or denied is not None
        if standing.problem:
            reason = standing.problem if reason in ("", ASKS) else f"{reason} {standing.problem}"
            is_asked_each_time = True
        if not reason:
            return Judgement("allow", rule=self._allowing(call, standing))
        if self._person and mode != "dontAsk":
            by_mode = PLANNING if mode == "plan" else ""
            told = by_mode if reason == ASKS else reason
            question = self._question(call, told, asked, is_asked_each_time=is_asked_each_time)
            return question._replace(causes=question.causes | ({standing.problem} - {""}))
        tool = call.tool
        nobody = "there is nobody to ask"
        if self._person:  # who has chosen the mode sits there
            nobody = "the mode dontAsk refuses what would ask"
        why = f"{tool} asks first, and {nobody}." if reason == ASKS else reason
        return Judgement("deny", why, lacks_person=not self._person and mode != "dontAsk", rule=_first(asked))

    def _question(self, call: Call, reason: str, asked: Sequence[_About], *, is_asked_each_time: bool) -> Judgement:
        """What a person is asked; that git would run something where it is only to look is told first."""
        more = self._commands.what_git_runs_reading(call)
        told = reason if more in reason else f"{more} {reason}".rstrip()
        # Whoever allows what a rule may be about has not allowed what has its words, let alone what it is about.
        certain = {one.rule.text for one in asked if one.is_certain}
        named = {one.rule.text for one in asked if one.is_certain or is_named(one.rule.tool, call)}
        perhaps = {one.rule.text for one in asked}
        causes = {*certain, *(f"named {text}" for text in named), *(f"perhaps {text}" for text in perhaps), more} - {""}
        return Judgement("ask", told, is_asked_each_time, rule=_first(asked), causes=frozenset(causes))

    def what_allows(self, tool: str, arguments: Mapping[str, Any], mode: str | None = None) -> str:
        """Why a call runs that no standing rule allows, for a person."""
        self._places.around.look_again()
        if tool in HARMLESS_TOOLS or self._is_harmless(tool):
            return "what this tool does is harmless"
        if self._only_reads(tool):
            return "its author says that it changes nothing"
        if tool in SUBAGENT_TOOLS:
            return "to start a subagent is not asked about; what that does is"
        if tool in EDIT_TOOLS and mode == "acceptEdits":
            return f"the mode acceptEdits lets it edit inside of {self._cwd}"
        if not self._doubt(Call(tool, arguments, self._cwd)):
            return "it is known to only read"
        return "the agent's own tools cover it, and nobody can be asked"

    def may_write(self, tool: str, arguments: Mapping[str, Any], here: str | Path | None = None) -> bool:
        """Whether a call may change files: so may all that are not known to change none."""
        if tool in WRITES_NOTHING or self._is_harmless(tool) or self._only_reads(tool):
            return False
        self._places.around.look_again()
        return bool(self._doubt(Call(tool, arguments, Path(here or self._cwd).resolve())))

    def why_not_covered(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Which rule seems to allow a command, and why it does not; empty if there is none."""
        command, rules = str(arguments.get("command") or ""), [rule.tool for rule in self._standing().of("allow")]
        for rule in (*rules, *self._rules) if tool == "Bash" else ():
            if rule.name == "Bash" and rule.rule and (why := falls_short(rule.rule, command, self._cwd)):
                return f"Bash({rule.rule}) does not cover it: {why}."
        return ""

    @property
    def cwd(self) -> Path:
        """Where the agent works."""
        return self._cwd

    def may_be_reread(self, path: str, *, is_let_in: bool = False) -> bool:
        """Whether a file that the agent knows may be read anew without a question, whether or not it can read others.

        What it has written is known to one that has no tool to read with; what keeps it from more is a rule of its own
        that says which files, a standing one, and the places that ask whatever the rules say. The first is not
        about a file that a person has let in.
        """
        self._places.around.look_again()
        call, standing = Call("Read", {"file_path": path}, self._cwd), self._standing()
        ruled = (about for effect in ("deny", "ask") for about in self._about(call, standing, effect, cache(Roots)))
        if standing.problem or any(ruled) or why_always_asked(call, self._places):
            return False
        return is_let_in or not may_use("Read", self._allowed) or not self._beyond_rules(call)

    @property
    def keys(self) -> object:
        """What is known now of where keys are: equal to what was known before, unless that has changed."""
        self._places.around.look_again()
        return self._places.keys

    @property
    def standing(self) -> Standing:
        """The standing rules, as they are now."""
        return self._standing()

    def grant(self, rule: ToolRule) -> None:
        """Allow what the rule covers from now on: a person has said so."""
        self._granted.append(rule)

    def _reason(self, call: Call, mode: str | None, standing: Standing) -> tuple[str, bool]:
        """Why the call must not run unasked, and whether that is to be asked each time; empty if it may run."""
        if call.tool in HARMLESS_TOOLS or self._is_harmless(call.tool):
            return "", False
        only_reads = self._only_reads(call.tool)
        doubt = "" if only_reads else self._doubt(call)
        # By what was allowed for a run, a call may run that no rule covers: what asks each time is found before that.
        if (only_reads or doubt) and (reason := first_reason(self._whys_each_time(call))):
            return reason, True
        if only_reads:
            return "", False
        is_planning = mode == "plan"  # in which nothing but reading runs unasked, whatever was allowed before
        if not is_planning and (self._is_granted(call) or self._allowing(call, standing)):
            return "", False
        return self._beyond(call, mode, doubt), is_planning

    def _whys_each_time(self, call: Call) -> Iterator[str]:
        """Why a call that is not known to be harmless asks each time; some may be empty."""
        if self._only_reads(call.tool):
            yield from whys_always_asked(call, self._places, only_reads=True)
            return
        if call.tool == "SendMessage":
            yield "Who gets it may be another session of yours, and works with what that one may do."
        by_aliases = calls_by_aliases(call)
        for one in (call, *(by_aliases or ())):
            yield from whys_always_asked(one, self._places)
            yield self._what_starts(one)
        yield "What it is by the aliases of git cannot be told." if by_aliases is None else ""

    def _beyond(self, call: Call, mode: str | None, doubt: str) -> str:
        """Why neither the mode nor the agent's rules let the call run unasked; empty if they do."""
        if call.tool in EDIT_TOOLS:
            is_free = mode == "acceptEdits" or not (self._person or mode == "plan")
            return self._beyond_rules(call) or self._outside(call) or ("" if is_free else ASKS)
        if call.tool in SUBAGENT_TOOLS:
            return self._beyond_rules(call) or _more_than_a_start(call)
        if self._person or mode == "plan":
            return doubt
        return self._beyond_rules(call) or self._commands.what_git_would_run(call)

    # -- what the rules say -----------------------------------------------------------------------------------------

    def _beyond_rules(self, call: Call) -> str:
        """Why the agent's own rules do not cover the call; empty if they do."""
        rules = [rule for rule in self._rules if is_same_tool(rule.name, call.tool)]
        if any(self._covers(rule, call) for rule in rules):
            return ""
        only = ", ".join(f"{rule.name}({rule.rule})" for rule in rules)
        plainly = ", one plain command at a time" if call.tool == "Bash" else ""
        return f"{self._commands.greed(call)} This agent may use {only}{plainly}.".lstrip()

    def _covers(self, rule: ToolRule, call: Call, base: Path | None = None) -> bool:
        if not is_same_tool(rule.name, call.tool):
            return False
        # Rules for paths begin in the agent's folder, or the project's, and commands where they are run.
        here = call.here if call.tool == "Bash" else self._cwd
        return rule.rule is None or covers(rule.rule, call.tool, call.arguments, here, base)

    def _outside(self, call: Call) -> str:
        """Why an edit is beyond the working directory, unless a rule says outright that it may be."""
        named = any(rule.rule and is_absolute(rule.rule) and self._covers(rule, call) for rule in self._rules)
        outside = [path for path in call.paths or [""] if not self._places.is_inside(path, call.here)]
        return f"{outside[0] or 'It'} is outside of {self._cwd}." if outside and not named else ""

    def _about(
        self, call: Call, standing: Standing, effect: Effect, roots_at: Callable[..., Roots]
    ) -> Iterator[_About]:
        """The standing rules that a call is up against; certain ones first."""
        rules = list(standing.of(effect))
        only_reads = bool(rules) and call.tool in SHELLS and not self._doubt(call)
        perhaps, limits = list[_About](), Limits()
        for rule in rules:
            roots = roots_at((rule.base or self._cwd, *rule.elsewhere), standing.projects)
            found = is_about(_also_of_edits(rule.tool, effect, call), call, roots, limits, only_reads=only_reads)
            if found:
                yield _About(rule, is_certain=True)
            elif found is None:
                perhaps.append(_About(rule, is_certain=False))
        yield from perhaps

    def _is_granted(self, call: Call) -> bool:
        """Whether a person has allowed it, and git does not make more of it."""
        is_covered = any(self._covers(rule, call) for rule in self._granted)
        return is_covered and not self._commands.what_git_runs_reading(call)

    def _allowing(self, call: Call, standing: Standing) -> StandingRule | None:
        """The standing rule that allows a call: one that says it outright, and that git does not make more of."""
        found = next((rule for rule in standing.of("allow") if self._is_allowed_by(rule, call)), None)
        return None if found is None or self._commands.what_git_runs_reading(call) else found

    def _is_allowed_by(self, rule: StandingRule, call: Call) -> bool:
        tool = rule.tool
        if not self._covers(tool, call, rule.base):
            return False
        says_where = tool.rule is not None and (is_absolute(tool.rule) or rule.base is not None)
        return call.tool not in EDIT_TOOLS or says_where or not self._outside(call)

    # -- what a call does -------------------------------------------------------------------------------------------

    def _doubt(self, call: Call) -> str:
        """Why the call is not known to do nothing but read what the agent may read; empty if it is."""
        if call.tool == "Bash":
            return self._commands.doubt(call)
        if call.tool in READING_TOOLS:
            return why_always_asked(call, self._places) or self._beyond_rules(call)
        return ASKS

    def _what_starts(self, call: Call) -> str:
        """Why it changes what runs by itself."""
        if call.tool not in SHELLS:
            paths = [] if call.tool in LOOKING_TOOLS else call.paths
            return self._what_git_starts(paths, _folders_of(paths, call.here), call.here)
        if (named := named_to_change(call, self._places)) is None:
            return TOO_LONG
        # Git has the same settings everywhere in a repository, and a command may name many of its folders.
        found = ((folder, find_repository(folder)) for folder in _folders_of(named, call.here))
        tops = {folder if repository is None else repository.top for folder, repository in found}
        put = cache(lambda: changed_by(call))  # it may take a while, and matters only where something is started
        if self._places.are_started:
            if (more := put()) is None:
                return TOO_LONG
            if reason := self._places.why_started([*named, *more], call.here):
                return reason
        return self._what_git_starts(named, tops, call.here, put)

    def _what_git_starts(
        self,
        paths: Sequence[str],
        folders: set[Path],
        here: Path,
        put: Callable[[], Sequence[str | Path] | None] = lambda: (),
    ) -> str:
        """Why it changes what git runs: settings may name hooks and programs in the working tree."""
        if len(folders) > _MOST_FOLDERS:
            return TOO_LONG
        for folder in {*self._places.bases, *folders} if paths else ():
            if (started := self._git_starts(folder)) is None:
                return f"What git runs in {folder} cannot be known."
            if not any(started):
                continue
            if (more := put()) is None:
                return TOO_LONG
            if reason := self._places.why_git_runs([*paths, *more], here, *started):
                return reason
        return ""


def _also_of_edits(rule: ToolRule, effect: Effect, call: Call) -> ToolRule:
    """What nobody may read, nobody may change: for that it is to be read first, and the CLI refuses it. What is not
    there yet may be written.
    """
    if effect != "deny" or rule.name != "Read" or rule.rule is None or call.tool not in EDIT_TOOLS:
        return rule
    is_there = any(os.path.lexists(place) for path in call.paths for place in places_of(path, call.here))
    return rule._replace(name=call.tool) if is_there else rule


def _with_skill(judgement: Judgement, name: str, begun: Judgement) -> Judgement:
    """What is to happen with a job that is not refused, whose prompt begins a skill that is judged so."""
    told = f"Its prompt runs the skill {name}."
    if begun.decision == "deny":
        return begun._replace(reason=f"{told} {begun.reason}")
    if "ask" not in (judgement.decision, begun.decision):
        return judgement
    reasons = [reason for reason in (judgement.reason, told, begun.reason) if reason not in ("", ASKS)]
    # Whoever has allowed every job has not thought of a skill that asks.
    more = begun.causes | ({told} if begun.decision == "ask" else set())
    return Judgement(
        "ask",
        " ".join(dict.fromkeys(reasons)),
        judgement.is_asked_each_time or begun.is_asked_each_time,
        rule=judgement.rule or begun.rule,
        causes=judgement.causes | more,
        grounds=tuple(dict.fromkeys((*judgement.grounds, *begun.grounds))),
    )


def _first(asked: Sequence[_About]) -> StandingRule | None:
    return asked[0].rule if asked else None


def _why_by_rules(asked: Sequence[_About]) -> str:
    certain, perhaps = ([one.rule for one in asked if one.is_certain is is_certain] for is_certain in (True, False))
    why = f"There is a rule to ask first: {'; '.join(rule.text for rule in certain)}." if certain else ""
    if len(perhaps) > 1:  # all of them: whoever allows it is to have been told
        entries = ", ".join(rule.entry for rule in perhaps)
        return f"{why} It cannot be told whether one of these rules is about it: {entries}.".strip()
    return f"{why} It cannot be told whether a rule is about it: {perhaps[0].text}.".strip() if perhaps else why


def _folders_of(paths: Sequence[str], here: Path) -> set[Path]:
    return {place.parent for path in paths for place in real_paths(path, here)}
