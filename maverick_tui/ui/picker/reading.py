"""What the picker reads in threads: agents and X-rays. Everything heavy is imported in there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui import paths
from maverick_tui.ui.picker.items import Group, Item, agent_item, file_item, hidden_by_name, problems_of_files
from maverick_tui.ui.short_names import short_path

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.discovery import Place
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.xray import XRay

TITLES = {"project": "PROJECT", "user": "YOURS", "package": "PACKAGES", "shipped": "SHIPPED"}
ORDER = tuple(TITLES.values())


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that one look at a folder gave."""

    items: tuple[Item, ...] = ()
    hidden: Mapping[str, tuple[AgentListing, ...]] = field(default_factory=dict)


def read_agents(cwd: Path) -> Found:
    """Every agent of this folder, by group; nothing of them is run."""
    from maverick_tui.agent.catalog.discovery import discover, places

    catalog, groups = discover(cwd), _Groups(places(cwd), cwd)
    default_model = _default_model()
    items = [
        agent_item(listing, groups.of(listing), default_model, is_trusted=_is_trusted(listing))
        for listing in catalog.agents
    ]
    listed = [*catalog.agents, *catalog.shadowed]
    items += [
        file_item(path, problems, groups.of_path(path))
        for path, problems in problems_of_files(catalog.problems, listed)
    ]
    items.sort(key=lambda item: (groups.rank(item.group), item.name))
    return Found(tuple(items), hidden_by_name(catalog.shadowed))


def read_xray(listing: AgentListing) -> XRay:
    """Look into an agent without running anything of it: it was only highlighted."""
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.agent.xray import xray
    from maverick_tui.ui.launch import load_settings

    return xray(listing, TrustStore(), may_load=False, config=load_settings())


class _Groups:
    """Which heading something stands below, and in which order the headings come."""

    def __init__(self, places: list[Place], cwd: Path) -> None:
        cwd = cwd.resolve()
        self._folders = [(place.folder, Group(TITLES[place.source], short_path(place.folder, cwd))) for place in places]
        self._folders.append((paths.shipped("agents"), Group(TITLES["shipped"])))
        self._order = {group: index for index, (_, group) in enumerate(self._folders)}

    def of(self, listing: AgentListing) -> Group:
        if listing.form == "package" or listing.path is None:
            return Group(TITLES[listing.source])
        return self.of_path(str(listing.path))

    def of_path(self, path: str) -> Group:
        """By the folder it is in, or that is in it if it cannot be entered; an entry point of a package has none."""
        where = Path(path)
        inside = (group for folder, group in self._folders if where.is_relative_to(folder))
        around = (group for folder, group in self._folders if where.is_absolute() and folder.is_relative_to(where))
        return next(inside, None) or next(around, Group(TITLES["package"]))

    def rank(self, group: Group) -> tuple[int, int]:
        return ORDER.index(group.title), self._order.get(group, 0)


def _default_model() -> str:
    """The model of agents that name none.

    It is looked up past the settings, which take longer to import than all agents to read; the X-ray resolves it by
    them, and tells what is wrong with them.
    """
    import tomllib

    from maverick_tui.agent.base import DEFAULT_MODEL

    if model := os.environ.get("MAVERICK_MODEL"):
        return model
    try:
        model = tomllib.loads((paths.user_config() / "config.toml").read_text(encoding="utf-8")).get("model")
    except (OSError, ValueError):
        return DEFAULT_MODEL
    return model if isinstance(model, str) and model else DEFAULT_MODEL


def _is_trusted(listing: AgentListing) -> bool:
    """Whether it may be loaded as it is; a list of trusted files that is broken trusts nothing."""
    if not listing.needs_trust:
        return True
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.exceptions import ConfigError

    try:
        store, files = TrustStore(), prepare(listing).to_trust
        return all(store.is_trusted(path, content) for path, content in files)
    except ConfigError:
        return False
