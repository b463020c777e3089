"""What the package offers, although its modules are loaded late."""

import subprocess
import sys

import pytest
import samecall


@pytest.mark.parametrize("name", samecall.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(samecall, name) is not None


def test_what_is_not_offered_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        samecall.nothing  # noqa: B018 - reading it is the test


def test_importing_the_package_loads_no_gate() -> None:
    program = "import sys, samecall; print('samecall.gate' in sys.modules)"
    # The command is this interpreter and our own text.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)  # noqa: S603
    assert done.stdout == b"False\n"
