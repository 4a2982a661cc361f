"""The fields of an agent are said once, and everybody means the same ones."""

from __future__ import annotations

from maverick_tui import MaverickAgent
from maverick_tui.agent.fields import ENGINES, FIELDS, SETTINGS, Field
from tests.support.cases import each


def test_the_fields_are_those_of_the_base_class() -> None:
    assert set(SETTINGS) == set(MaverickAgent.__annotations__)


def test_no_field_is_there_twice() -> None:
    for names in ([field.name for field in FIELDS], [field.markdown for field in FIELDS]):
        given = [name for name in names if name]
        assert len(given) == len(set(given))


@each("field", SETTINGS.values(), ids=SETTINGS.keys())
def test_a_field_may_be_what_it_is_by_default_and_what_it_shows_as_an_example(field: Field) -> None:
    default = getattr(MaverickAgent, field.name)
    is_left_out = field.name == "system_prompt"  # an agent that says nothing cannot be made
    assert is_left_out or (field.may_be_none if default is None else _fits(field, default))
    if field.name != "own_tools":  # the example is a name of the author's
        assert field.kind.fits(eval(field.kind.example, {}))
    assert field.engine in ("", *ENGINES)


def _fits(field: Field, default: object) -> bool:
    return field.kind.fits(list(default) if isinstance(default, tuple) else default)
