"""Variables that make programs run or load something else than their arguments say."""

from __future__ import annotations

import re

# bash(1) "Shell Variables", ld.so(8), git(1), less(1), environ(7); each program's own manual for the *_OPTIONS kind.
_POWERFUL = re.compile(
    r"""
      PATH | CDPATH | HOME | IFS | ENV | SHELL | SHELLOPTS | PS[0-4] | TMPDIR | GLOBIGNORE | HISTFILE | POSIXLY_CORRECT
    | (?:BASH|LD|DYLD|GIT|XDG|GCONV|PERL|PYTHON|RUBY|NODE|JAVA|LUA|GEM|BUNDLE|DOCKER|KUBE|HELM|TF|AWS|CLOUDSDK
        |AZURE|NPM|PIP|CARGO|RUST|GO|FZF|RIPGREP|BAT|FD|MAN|LESS|SYSTEMD|CURL|OPENSSL|SSL|PSQL|PG|MYSQL|ANSIBLE
        |HOMEBREW|GH|GREP|TAR|ZIP|UNZIP|GZIP|XZ|TERMINFO|READLINE|INPUT)[A-Z0-9]*(?:_.*)?
    | LESS\w* | GOFLAGS | VISUAL | BROWSER | WGETRC | INPUTRC | CURLRC | NETRC
    | \w*(?:PAGER|EDITOR|OPTIONS|OPTS|OPT|COMMAND|CMD|HOME|CONFIG|RC|PRELOAD|ASKPASS|SHELL|PROGRAM|HOOKS?|PLUGINS?|PROMPT)
    """,
    re.VERBOSE,
)

# Names of those families that only choose how or about whom something is shown.
_HARMLESS = frozenset(
    "AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_DEFAULT_PROFILE AWS_ACCOUNT_ID PYTHONUNBUFFERED PYTHONIOENCODING"
    " PYTHONUTF8 PYTHONDONTWRITEBYTECODE GH_TOKEN GH_REPO GH_HOST GREP_COLORS GREP_COLOR RUST_BACKTRACE RUST_LOG"
    " NODE_ENV PGPASSWORD PGUSER PGHOST PGPORT PGDATABASE DOCKER_HOST GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS".split()
)


def is_harmless(name: str) -> bool:
    """Say whether setting the variable leaves the programs of our tables what they are.

    Names with a lower-case letter are no standard utility's business (POSIX.1-2017, XBD 8.1).

    >>> is_harmless("files"), is_harmless("PATH"), is_harmless("LC_ALL")
    (True, False, True)
    """
    return name in _HARMLESS or _POWERFUL.fullmatch(name) is None
