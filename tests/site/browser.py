"""A browser that reaches nothing but this machine, and a server that serves a site as hosts do."""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from attnbook.sphinxext import browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

HOST = "127.0.0.1"
FLAGS = [f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}"]


def launch(playwright: Playwright) -> Browser:
    """Start a Chromium that finds no host but this one."""
    return browser.launch(playwright, *FLAGS)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder, compressed and cacheable; yield its address, without a slash at the end."""
    handler = type("Handler", (_Handler,), {"folder": folder.resolve()})
    with ThreadingHTTPServer((HOST, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://{HOST}:{server.server_port}"
        server.shutdown()
        thread.join()


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6, mtime=0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder: Path

    def do_GET(self) -> None:
        file = self.folder / unquote(urlsplit(self.path).path).lstrip("/")
        if file.is_dir():
            file /= "index.html"
        found = file.resolve().is_relative_to(self.folder) and file.is_file()
        if not found:
            # hosts show this page for every address that leads nowhere
            file = self.folder / "404.html"
            if not file.is_file():
                self.send_error(404)
                return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        squeeze = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
        body = _compressed(file) if squeeze else file.read_bytes()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if squeeze else kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "public, max-age=31536000")
        if squeeze:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        # a browser that goes elsewhere hangs up
        with suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""
