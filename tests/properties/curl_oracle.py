"""Run curl against a loopback server and say what happened: requests, output, status, files.

The server answers for every host, once as its proxy and once in its place: on the way to a proxy curl mends URLs that
it otherwise sends as they are. No name is looked up and nothing leaves the machine. curl reads no configuration of the
user and starts in a directory of its own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

FILES = {"f": b"one\r\ntwo\n", "g": b"", "h.txt": b"X-From-File: 1\n"}
"""What lies in the directory in which curl starts."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, apart from the order of headers and of parameters of different names, and header spelling."""

    line: str
    target: str
    query: tuple[tuple[str, tuple[str, ...]], ...]
    headers: tuple[tuple[str, tuple[str, ...]], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Run:
    """What one curl command did, its messages aside."""

    sent: tuple[Sent, ...]
    status: int
    output: bytes
    files: tuple[tuple[str, bytes], ...]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    sent: list[Sent]


class _Recorder(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def answer(self) -> None:
        body = self._body()
        split = urlsplit(self.path)
        self.server.sent.append(_sent(f"{self.command} {self.request_version}", self.path, self.headers.items(), body))
        # a redirect, a failure, and a page that shows what was asked for
        name = split.path.rpartition("/")[2]
        content = f"{self.command} {len(body)}\n".encode()
        self.send_response_only({"moved": 302, "missing": 404}.get(name, 200))
        if name == "moved":
            self.send_header("Location", "/there")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.close_connection = True

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def __getattr__(self, name: str) -> object:
        if name.startswith("do_"):  # any method, also one that no standard knows
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


_CURL = shutil.which("curl") or "curl"
_BOUNDARY = re.compile(r"-{20,}[0-9A-Za-z]+")
_UNRESERVED = re.compile(r"%(2[DEde]|3\d|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")


def _sent(line: str, path: str, headers: list[tuple[str, str]], body: bytes) -> Sent:
    names: dict[str, list[str]] = {}
    for name, value in headers:
        seen = _BOUNDARY.sub("BOUNDARY", value.strip())
        names.setdefault(name.lower(), []).append(seen.lower() if name.lower() == "host" else seen)
    target, mark, query = path.partition("?")
    scheme, colon, rest = target.rpartition("://")
    host, slash, place = rest.partition("/")
    parameters: dict[str, list[str]] = {}
    for part in _decoded(query).split("&"):
        parameters.setdefault(part.partition("=")[0], []).append(part)
    return Sent(
        line,
        f"{scheme}{colon}{host.lower()}{slash}{_decoded(place)}{mark}",
        tuple(sorted((name, tuple(values)) for name, values in parameters.items())),
        tuple(sorted((name, tuple(values)) for name, values in names.items())),
        re.sub(_BOUNDARY.pattern.encode(), b"BOUNDARY", body),
    )


def _decoded(text: str) -> str:
    return _UNRESERVED.sub(lambda found: chr(int(found[1], 16)), text)


@cache
def _server() -> _Server:
    server = _Server(("127.0.0.1", 0), _Recorder)
    server.sent = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def run(args: tuple[str, ...]) -> tuple[Run, Run]:
    """Run curl with these arguments, through the proxy and then straight; one run at a time."""
    address = f"127.0.0.1:{_server().server_port}"
    straight = ("-q", "--noproxy", "*", "--connect-to", f"::{address}", *args)
    return _run(("-q", *args), f"http://{address}"), _run(straight, f"http://{address}")


def _run(args: tuple[str, ...], proxy: str) -> Run:
    server = _server()
    server.sent = []
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as home:
        here = Path(directory)
        for name, content in FILES.items():
            here.joinpath(name).write_bytes(content)
        # generated arguments, and a server that keeps whatever they ask for on this machine
        done = subprocess.run(  # noqa: S603
            [_CURL, *args],
            cwd=directory,
            env={"PATH": "/usr/bin:/bin", "HOME": home, "CURL_HOME": home, "http_proxy": proxy, "LC_ALL": "C.UTF-8"},
            input=b"from standard input\n",
            capture_output=True,
            timeout=20,
            check=False,
        )
        files = tuple(sorted((path.name, path.read_bytes()) for path in here.iterdir()))
    return Run(tuple(server.sent), done.returncode, done.stdout, files)
