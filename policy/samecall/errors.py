"""What can go wrong in the policy layer. Nothing here reaches an agent unless its caller asks for it."""

from __future__ import annotations

from .decisions import Outcome

FAILURES: tuple[Outcome, ...] = ("failed", "denied", "cancelled", "unknown")
"""How a call may end that did not succeed."""


class SamecallError(Exception):
    """The base of every exception that samecall raises."""


class PolicyError(SamecallError, ValueError):
    """A setting of ``ToolPolicy`` is unknown, unreachable or contradicts another; ``option`` is its name."""

    def __init__(self, option: str, message: str) -> None:
        """Say what is wrong with ``option``, spelled as the caller spelled it."""
        super().__init__(f"{option}: {message}")
        self.option = option
        self.message = message


class ToolFailedError(SamecallError):
    """A tool raises this inside ``ToolCallGate.run`` to report a failure; ``result`` is what the model reads.

    ``outcome`` says how the call ended: ``denied`` where somebody did not let it run, ``unknown`` where nobody knows
    whether it took effect.
    """

    def __init__(self, result: object, outcome: Outcome = "failed") -> None:
        """Keep both. Raises ``ValueError`` for an outcome that is no failure."""
        if outcome not in FAILURES:
            raise ValueError(f"outcome: must be {' or '.join(FAILURES)}, not {outcome!r}")
        super().__init__("the tool reported a failure")
        self.result = result
        self.outcome: Outcome = outcome


class StoreError(SamecallError):
    """A store cannot be read or written."""


class SnapshotError(SamecallError, ValueError):
    """The data given to ``ToolCallGate.restore`` is not a snapshot of this version."""


class RecordingError(SamecallError, ValueError):
    """A file is not a recorded session that we can read."""


class HookError(SamecallError):
    """A coding agent's hook was started in a way, or was sent something, that it cannot work with."""


class SettingsError(SamecallError, ValueError):
    """A settings file is not what its program reads, so it is left alone."""


class RunError(SamecallError):
    """A run cannot start: a model, a tool, a directory or the extra ``run`` is not there."""


class ReportError(SamecallError):
    """A report cannot be written: its file, or the extra ``report``."""


class EngineError(SamecallError):
    """Those who should share the work of a study, processes or a cluster, cannot."""
