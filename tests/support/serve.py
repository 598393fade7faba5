"""Serves a folder through `git http-backend`, with basic authentication, on loopback.

Usage: serve.py PORT BACKEND ROOT USER PASSWORD

The file ROOT/serve.rules, read at each request, says what is refused:
    takes REGEX   a push of any other ref, and of a deletion, is answered with 403
    readonly      no push is answered with anything else
    status CODE   everything is answered with that status
Each request is a line of ROOT/serve.log: the method, the path, and what a push wants.
"""

import base64
import http.server
import os
import re
import subprocess
import sys

PORT, BACKEND, ROOT, USER, PASSWORD = sys.argv[1:]
EXPECTED = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def rules():
    try:
        with open(os.path.join(ROOT, "serve.rules"), encoding="utf-8") as file:
            return [(line.split(" ", 1) + [""])[:2] for line in file.read().splitlines()]
    except FileNotFoundError:
        return []


def commands(body):
    """The updates that the body of a push begins with: old, new and name of each ref."""
    found = []
    while body[:4] not in (b"", b"0000"):
        size = int(body[:4], 16)
        found.append(body[4:size].split(b"\0")[0].decode().split())
        body = body[size:]
    return found


def is_refused(rule, value, is_push, wanted):
    if rule == "takes":
        return any(set(new) == {"0"} or not re.fullmatch(value, name) for _, new, name in wanted)
    return rule == "readonly" and is_push


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def answer(self, status, headers, data):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def serve(self):
        body = self.body()
        if self.headers.get("Authorization") != EXPECTED:
            return self.answer(401, [("WWW-Authenticate", 'Basic realm="test"')], b"")
        path, _, query = self.path.partition("?")
        is_push = "git-receive-pack" in self.path
        wanted = commands(body) if is_push and self.command == "POST" else []
        with open(os.path.join(ROOT, "serve.log"), "a", encoding="utf-8") as log:
            log.write(f"{self.command} {self.path} {' '.join(name for _, _, name in wanted)}".strip() + "\n")
        for rule, value in rules():
            if rule == "status":
                return self.answer(int(value), [], b"")
            if is_refused(rule, value, is_push, wanted):
                return self.answer(403, [], b"")
        env = dict(os.environ, GIT_PROJECT_ROOT=ROOT, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query)
        env.update(REQUEST_METHOD=self.command, REMOTE_USER=USER, REMOTE_ADDR="127.0.0.1", CONTENT_LENGTH=str(len(body)))
        env["CONTENT_TYPE"] = self.headers.get("Content-Type", "")
        env["GIT_PROTOCOL"] = self.headers.get("Git-Protocol", "")
        env["HTTP_CONTENT_ENCODING"] = self.headers.get("Content-Encoding", "")
        said = subprocess.run([BACKEND], input=body, env=env, stdout=subprocess.PIPE, check=False).stdout
        head, _, data = said.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        return self.answer(status, [pair for pair in headers if pair[0] != "Status"], data)

    do_GET = do_POST = serve

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler).serve_forever()
