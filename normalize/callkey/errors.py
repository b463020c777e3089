"""What can go wrong in the engine, and where in the source."""


class CallkeyError(Exception):
    """The base of every exception that callkey raises."""


class ParseError(CallkeyError):
    """The source is not a command that we can take apart.

    ``canonicalize`` and ``key`` never let this out: they key the raw text instead.
    """

    def __init__(self, message: str, *, source: str, span: tuple[int, int]) -> None:
        """Point at ``source[span[0]:span[1]]``; both offsets count characters."""
        super().__init__(message)
        self.source = source
        self.span = span

    def __str__(self) -> str:
        """Name the line and the column (from 1) beside the message."""
        start = self.span[0]
        line = self.source.count("\n", 0, start) + 1
        column = start - self.source.rfind("\n", 0, start)
        return f"line {line}, column {column}: {self.args[0]}"


class UnsupportedSyntaxError(ParseError):
    """The source may be valid bash, but it holds something that we do not model."""


class UnknownStrategyError(CallkeyError):
    """No key strategy is registered under this name."""
