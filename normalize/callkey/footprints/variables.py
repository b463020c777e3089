"""Variables that make programs run or load something else than their arguments say."""

from __future__ import annotations

import re

# bash(1) "Shell Variables", ld.so(8), git(1), less(1), environ(7); each program's manual for the *_OPTIONS kind.
_POWERFUL = re.compile(
    r"""
      BZIP2? | MORE | PIGZ
    | PATH | CDPATH | HOME | IFS | ENV | PS[0-4] | TMPDIR | GLOBIGNORE | HISTFILE | POSIXLY_CORRECT | LESS\w*
    | SHELLOPTS | VISUAL | BROWSER | GOFLAGS
    | (?: ANSIBLE | AWS | AZURE | BASH | BAT | BUNDLE | CARGO | CLOUDSDK | CURL | DOCKER | DYLD | FD | FZF | GCONV
        | GEM | GH | GIT | GO | GREP | GZIP | HELM | HOMEBREW | INPUT | JAVA | KUBE | LD | LUA | MAN | MYSQL | NODE
        | NPM | OPENSSL | PERL
        | COMPOSER | MYPY | PG | PIP | PNPM | PSQL | PYLINT | PYTHON | READLINE | RIPGREP | RUBY | RUFF | RUST | SSL
        | SYSTEMD | TAR | TERMINFO | TF | UNZIP | UV | XDG | XZ | YARN | ZIP )[A-Z0-9]*(?:_.*)?
    | (?: npm | pnpm | yarn )_config_\w*
    | \w*(?: ASKPASS | CMD | COMMAND | CONFIG | EDITOR | HOME | HOOKS? | OPT | OPTIONS | OPTS | PAGER
        | PLUGINS? | PRELOAD | PROGRAM | PROMPT | RC | SHELL )
    """,
    re.VERBOSE,
)

# Names of those families that only choose how, or about whom, something is shown.
_HARMLESS = frozenset(
    "AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_DEFAULT_PROFILE DOCKER_HOST GH_HOST GH_REPO"
    " GH_TOKEN GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GREP_COLOR GREP_COLORS NODE_ENV PGDATABASE PGHOST PGPASSWORD"
    " PGPORT PGUSER PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUNBUFFERED PYTHONUTF8 RUST_BACKTRACE"
    " RUST_LOG".split()
)


_PAGER = re.compile(r"(?:[A-Z]+_?)?PAGER")


def is_harmless(name: str, value: str | None = None) -> bool:
    """Say whether setting the variable leaves the programs of our tables what they are.

    Names with a lower-case letter are no standard utility's business (POSIX.1-2017, XBD 8.1).

    ``value`` counts where it is known: a pager that only copies does no harm.

    >>> is_harmless("PAGER"), is_harmless("PAGER", "cat")
    (False, True)
    >>> is_harmless("files"), is_harmless("PATH"), is_harmless("LC_ALL")
    (True, False, True)
    """
    if value in {"", "cat"} and _PAGER.fullmatch(name):
        return True
    return name in _HARMLESS or _POWERFUL.fullmatch(name) is None
