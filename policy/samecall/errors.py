"""What can go wrong in the policy layer. Nothing here reaches an agent unless its caller asks for it."""


class SamecallError(Exception):
    """The base of every exception that samecall raises."""


class PolicyError(SamecallError, ValueError):
    """A setting of ``ToolPolicy`` is unknown, unreachable or contradicts another; ``option`` is its name."""

    def __init__(self, option: str, message: str) -> None:
        """Say what is wrong with ``option``, spelled as the caller spelled it."""
        super().__init__(f"{option}: {message}")
        self.option = option


class ToolFailedError(SamecallError):
    """A tool raises this inside ``ToolCallGate.run`` to report a failure; ``result`` is what the model reads."""

    def __init__(self, result: object) -> None:
        """Keep ``result`` for the model."""
        super().__init__("the tool reported a failure")
        self.result = result


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
