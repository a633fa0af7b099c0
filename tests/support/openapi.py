"""Replies held against the API's description.

    api = Contract(box)
    api.call("GET", "/api/v1/logs?limit=5", token=token, expect=200)
    api.assert_all_exercised()

Every reply must be one the description knows: its status, its type, its JSON by the schema.  At the end
every operation must have been called and every status it names must have been seen.
Needs Debian's python3-jsonschema.
"""

import datetime
import json
import re

from azk import ScenarioFailure
from jsonschema import Draft202012Validator, FormatChecker

METHODS = ("get", "post", "put", "patch", "delete")
RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

formats = FormatChecker(formats=())


@formats.checks("date-time", raises=ValueError)
def is_time(text):
    """RFC 3339, and a day that exists."""
    if not isinstance(text, str):
        return True
    if not RFC3339.match(text):
        return False
    datetime.datetime.fromisoformat(text[:19])
    return True


class Contract:
    """The description of a running box, and what of it was exercised."""

    def __init__(self, box):
        self.box = box
        reply = box.request("GET", "/api/v1/openapi.json")
        self.doc = json.loads(reply.body)
        self.patterns = [(re.compile("^" + re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(path)) + "$"), path)
                         for path in sorted(self.doc["paths"], key=lambda p: "{" in p)]
        self.seen = set()

    def resolve(self, node):
        while "$ref" in node:
            target = self.doc
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def validate(self, schema, value, where):
        whole = {**schema, "components": self.doc["components"]}
        errors = list(Draft202012Validator(whole, format_checker=formats).iter_errors(value))
        if errors:
            told = "; ".join(f"{e.json_path}: {e.message[:200]}" for e in errors[:3])
            raise ScenarioFailure(f"{where} is not as described: {told}")

    def operation(self, method, path):
        """The template of a path and its operation, or None."""
        for pattern, template in self.patterns:
            if pattern.match(path) and method.lower() in self.doc["paths"][template]:
                return template, self.doc["paths"][template][method.lower()]
        return None, None

    def check_examples(self):
        """Every example of the description is as its own schema says."""
        n = 0
        nodes = [("", self.doc)]
        while nodes:
            where, node = nodes.pop()
            if isinstance(node, dict):
                if "schema" in node and "example" in node:
                    self.validate(node["schema"], node["example"], f"the example at {where}")
                    n += 1
                nodes += [(f"{where}/{k}", v) for k, v in node.items() if k not in ("schemas", "example")]
            elif isinstance(node, list):
                nodes += [(f"{where}/{i}", v) for i, v in enumerate(node)]
        return n

    def check(self, method, path, reply):
        """Hold one reply against the description; its JSON, else its bytes."""
        where = f"{method} {path} → {reply.status}"
        for name, value in SECURITY_HEADERS.items():
            if reply.headers.get(name) != value:
                raise ScenarioFailure(f"{where}: {name} is {reply.headers.get(name)}")
        if not (reply.headers.get("Content-Security-Policy") or "").startswith("default-src 'none'"):
            raise ScenarioFailure(f"{where}: no strict Content-Security-Policy")
        if reply.headers.get("Cache-Control") != "no-store":
            raise ScenarioFailure(f"{where}: Cache-Control is {reply.headers.get('Cache-Control')}")
        template, operation = self.operation(method, path.partition("?")[0])
        described = (operation or {}).get("responses", {}).get(str(reply.status))
        if described is not None:
            self.seen.add((method, template, reply.status))
        else:
            described = self.doc["x-general-responses"].get(str(reply.status))
        if described is None:
            raise ScenarioFailure(f"{where}: the description knows no such status; {reply.body[:300]!r}")
        return self.check_content(where, self.resolve(described), reply)

    def check_content(self, where, described, reply):
        content = described.get("content")
        kind = (reply.headers.get("Content-Type") or "").partition(";")[0]
        if content is None:
            if reply.body:
                raise ScenarioFailure(f"{where}: there should be no body, there is {reply.body[:100]!r}")
            return None
        if kind not in content:
            raise ScenarioFailure(f"{where}: Content-Type {kind}, described are {sorted(content)}")
        if kind != "application/json":
            return reply.body
        value = json.loads(reply.body)
        self.validate(content[kind]["schema"], value, where)
        return value

    def call(self, method, path, *, token=None, session=None, body=None, headers=None, expect=200):
        """One request; `session`: (cookie, csrf).  The reply, held against the description."""
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if session:
            sent["Cookie"] = f"azekura_session={session[0]}"
            if session[1] is not None:
                sent["X-CSRF-Token"] = session[1]
        data = body
        if isinstance(body, (dict, list)):
            data = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        reply = self.box.request(method, path, data, sent)
        if reply.status != expect:
            raise ScenarioFailure(f"{method} {path}: {reply.status} in place of {expect}: {reply.body[:300]!r}")
        value = self.check(method, path, reply)
        self.last = reply
        return value

    def assert_all_exercised(self, under="/", elsewhere=()):
        """Every operation whose path begins with `under`, with every status its description names; but those whose path
        begins with one of `elsewhere`, which another scenario exercises."""
        missing = [f"{method.upper()} {path} {status}"
                   for path, item in self.doc["paths"].items() if path.startswith(under) and not path.startswith(tuple(elsewhere))
                   for method in METHODS if method in item
                   for status in item[method]["responses"]
                   if (method.upper(), path, int(status)) not in self.seen]
        if missing:
            raise ScenarioFailure("never exercised: " + ", ".join(sorted(missing)))
