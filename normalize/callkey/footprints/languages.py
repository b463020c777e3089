"""The judges of what no table can describe, under the names by which tables call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from .awk import run_awk
from .facts import Usage
from .footprint import Footprint
from .names import evaluate, set_variables
from .sed import run_sed
from .sql import run_sql
from .transfers import run_curl, run_wget
from .usage import Reading
from .wrappers import run_for_input, run_shell, run_wrapped

if TYPE_CHECKING:
    from .execution import Runner

Judge: TypeAlias = "Callable[[Usage, Reading, Runner], Footprint | None]"
"""Returns the footprint of a reading, or ``None`` where it does not keep within the usage after all."""

LANGUAGES: dict[str, Judge] = {
    "arithmetic": evaluate,
    "awk": run_awk,
    "curl": run_curl,
    "names": set_variables,
    "sed": run_sed,
    "shell": run_shell,
    "sql": run_sql,
    "wget": run_wget,
    "wrapper": run_wrapped,
    "xargs": run_for_input,
}
