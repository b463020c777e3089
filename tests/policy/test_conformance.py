"""Every scenario of the gate, on every store; and every event that it emits fits the schema."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from samecall import schema, to_json
from samecall.stores import Store

from tests.policy.scenarios import SCENARIOS, Player

VALIDATOR = Draft202012Validator(schema())


def _name(scenario: dict[str, Any]) -> str:
    return str(scenario["name"])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=_name)
def test_the_gate_decides_as_the_scenario_says(scenario: dict[str, Any], store: Store) -> None:
    player = Player(scenario, store, scenario["name"])
    player.play()
    for event in player.events:
        VALIDATOR.validate(to_json(event))


def test_there_are_at_least_sixty_scenarios_with_names_of_their_own() -> None:
    assert len({_name(scenario) for scenario in SCENARIOS}) == len(SCENARIOS) >= 60


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())
