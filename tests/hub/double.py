"""A local Hub: the few endpoints that `huggingface_hub` calls for datasets, over repositories in memory.

https://huggingface.co/docs/hub/api lists them; the status codes and headers of refusals are those that the library
turns into its errors: 401 `RepoNotFound` without a valid token, 404 with one, 403 `GatedRepo` for files only.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

TOKEN = "hf_a_token_that_may_write"
READS_ONLY = "hf_a_token_that_may_read"
LARGE = 10_000  # bytes from which a file goes to the large file storage


@dataclass
class Commit:
    """A version: all files, and what its author said."""

    message: str
    files: dict[str, bytes]
    sha: str = ""

    def __post_init__(self) -> None:
        listing = json.dumps([self.message, {path: blob_id(content) for path, content in self.files.items()}])
        self.sha = hashlib.sha1(listing.encode(), usedforsecurity=False).hexdigest()


@dataclass
class Repository:
    """A dataset with its commits, oldest first."""

    private: bool = False
    gated: bool = False
    commits: list[Commit] = field(default_factory=lambda: [Commit("initial commit", {})])

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[-1].files

    def at(self, revision: str) -> Commit | None:
        if revision == "main":
            return self.commits[-1]
        return next((commit for commit in self.commits if commit.sha.startswith(revision)), None)


@dataclass
class Hub:
    """What the double holds, and every request that it got: (method, path, token)."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""
    fails_with: int = 0  # answer everything with this status

    def add(self, name: str, files: dict[str, bytes], **terms: Any) -> Repository:
        """A dataset with these files."""
        self.repositories[name] = Repository(commits=[Commit("first", files)], **terms)
        return self.repositories[name]


def blob_id(content: bytes) -> str:
    """Git's name of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def serving() -> Iterator[Hub]:
    """A Hub on a free port of this machine while the block runs."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Refusal(Exception):
    """A status with the error's code and text."""

    def __init__(self, status: int, code: str = "", text: str = "") -> None:
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


class Handler(BaseHTTPRequestHandler):
    """Parses a request, and answers it from the hub."""

    hub: Hub
    protocol_version = "HTTP/1.1"
    timeout = 10

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._answer()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        path, self.query = unquote(parts.path), parse_qs(parts.query)
        self.token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        chunked = self.headers.get("Transfer-Encoding") == "chunked"
        self.body = b"".join(self._chunks()) if chunked else self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.hub.requests.append((self.command, path, self.token))
        try:
            if self.hub.fails_with:
                raise Refusal(self.hub.fails_with)
            if self.token not in {"", TOKEN, READS_ONLY}:
                raise Refusal(401, "", "Invalid credentials in Authorization header")
            for method, pattern, act in ROUTES:
                if method == self.command and (match := re.fullmatch(pattern, path)):
                    act(self, *match.groups())
                    return
            raise Refusal(404, "", f"the double does not know {self.command} {path}")
        except Refusal as refusal:
            headers = {"X-Error-Code": refusal.code, "X-Error-Message": refusal.text}
            self._send(json.dumps({"error": refusal.text}).encode(), refusal.status, headers)

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _send(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, document: Any, status: int = 200) -> None:
        self._send(json.dumps(document).encode(), status, {"Content-Type": "application/json"})

    def found(self, name: str, revision: str = "main") -> tuple[Repository, Commit]:
        """A repository that the token may see, and its commit."""
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and not self.token):
            raise Refusal(404 if self.token else 401, "RepoNotFound", "Repository not found")
        commit = repository.at(revision)
        if commit is None:
            raise Refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return repository, commit

    def writable(self, name: str) -> Repository:
        repository, _ = self.found(name)
        if self.token != TOKEN:
            raise Refusal(403, "", "This token may only read")
        return repository

    def info(self, name: str, revision: str = "main") -> None:
        repository, commit = self.found(name, revision or "main")
        siblings = [_sibling(path, content) for path, content in sorted(commit.files.items())]
        facts = {"id": name, "sha": commit.sha, "private": repository.private, "gated": repository.gated and "auto"}
        self.json({**facts, "cardData": _front_matter(commit.files.get("README.md", b"")), "siblings": siblings})

    def file(self, name: str, revision: str, path: str) -> None:
        repository, commit = self.found(name, revision)
        if repository.gated:
            raise Refusal(403, "GatedRepo", f"Access to dataset {name} is restricted")
        if path not in commit.files:
            raise Refusal(404, "EntryNotFound", "Entry not found")
        content = commit.files[path]
        self._send(content, 200, {"ETag": f'"{blob_id(content)}"', "X-Repo-Commit": commit.sha})

    def validate(self) -> None:
        self.json({"errors": [], "warnings": []})

    def create(self) -> None:
        if self.token != TOKEN:
            raise Refusal(403 if self.token else 401, "", "You may not create this repository")
        wanted = json.loads(self.body)
        name = f"{wanted['organization']}/{wanted['name']}"
        if name in self.hub.repositories:
            raise Refusal(409, "", "You already created this dataset repo")
        self.hub.repositories[name] = Repository(private=wanted.get("visibility") == "private")
        self.json({"url": f"{self.hub.address}/datasets/{name}", "name": name})

    def delete(self) -> None:
        wanted = json.loads(self.body)
        name = f"{wanted['organization']}/{wanted['name']}"
        self.writable(name)
        del self.hub.repositories[name]
        self.json({})

    def preupload(self, name: str, _revision: str) -> None:
        files = self.writable(name).files
        self.json(
            {
                "files": [
                    {
                        "path": file["path"],
                        "uploadMode": "lfs" if file["size"] >= LARGE else "regular",
                        "shouldIgnore": False,
                        "oid": _oid(files.get(file["path"])),
                    }
                    for file in json.loads(self.body)["files"]
                ]
            }
        )

    def large_files(self, name: str) -> None:
        self.writable(name)
        objects = json.loads(self.body)["objects"]
        upload = {each["oid"]: {"href": f"{self.hub.address}/large/{each['oid']}"} for each in objects}
        rows = [each | {"actions": {"upload": upload[each["oid"]]}} for each in objects]
        self.json({"transfer": "basic", "objects": rows})

    def put_large(self, oid: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise Refusal(400, "", "the content has another digest")
        self.hub.large[oid] = self.body
        self.json({})

    def commit(self, name: str, _revision: str) -> None:
        repository = self.writable(name)
        lines = [json.loads(line) for line in self.body.splitlines()]
        header = next(line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit") not in {None, repository.commits[-1].sha}:
            raise Refusal(412, "", "A commit has happened since. Please refresh and try again.")
        files = dict(repository.files)
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.large[value["oid"]]
        made = Commit(header["summary"], files)
        repository.commits.append(made)
        self.json({"success": True, "commitOid": made.sha, "commitUrl": f"{self.hub.address}/{name}/commit/{made.sha}"})


def _sibling(path: str, content: bytes) -> dict[str, Any]:
    row: dict[str, Any] = {"rfilename": path, "size": len(content), "blobId": blob_id(content)}
    if len(content) >= LARGE:
        row["lfs"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "pointerSize": 130}
    return row


def _oid(content: bytes | None) -> str | None:
    if content is None:
        return None
    return hashlib.sha256(content).hexdigest() if len(content) >= LARGE else blob_id(content)


def _front_matter(card: bytes) -> dict[str, Any]:
    match = re.match(r"---\n(.*?)\n---\n", card.decode(), re.S)
    return yaml.safe_load(match[1]) if match else {}


REPO = r"([\w.-]+/[\w.-]+)"
ROUTES: list[tuple[str, str, Any]] = [
    ("GET", f"/api/datasets/{REPO}", Handler.info),
    ("GET", f"/api/datasets/{REPO}/revision/(.+)", Handler.info),
    ("HEAD", f"/datasets/{REPO}/resolve/([^/]+)/(.+)", Handler.file),
    ("GET", f"/datasets/{REPO}/resolve/([^/]+)/(.+)", Handler.file),
    ("POST", "/api/validate-yaml", Handler.validate),
    ("POST", "/api/repos/create", Handler.create),
    ("DELETE", "/api/repos/delete", Handler.delete),
    ("POST", f"/api/datasets/{REPO}/preupload/(.+)", Handler.preupload),
    ("POST", rf"/datasets/{REPO}\.git/info/lfs/objects/batch", Handler.large_files),
    ("PUT", "/large/([0-9a-f]+)", Handler.put_large),
    ("POST", f"/api/datasets/{REPO}/commit/(.+)", Handler.commit),
]
