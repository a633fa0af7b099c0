"""No request without session or token reads a log; a token of another box or a wrong one neither."""

import json

from azk import Product, run

SECRET = b"<13>Nov 30 12:34:56 h a: topsecretword in a log"
OPEN = {("get", "/api/v1/setup"), ("get", "/api/v1/openapi.json"), ("post", "/api/v1/setup"), ("post", "/api/v1/session"),
        ("get", "/healthz"), ("get", "/metrics")}
REFUSALS = [{}, {"Authorization": "Bearer azk_" + "A" * 43}, {"Authorization": "Bearer "}, {"Authorization": "Basic YTpi"},
            {"Cookie": "azekura_session=" + "A" * 43}]


def main():
    with Product() as box:
        box.send_udp([SECRET])
        box.wait_for_stored(1)
        entry = box.api("GET", "/logs?query=topsecretword")["entries"][0]
        described = json.loads(box.request("GET", "/api/v1/openapi.json").body)["paths"]
        tried = 0
        for path, methods in described.items():
            for method in methods:
                if method not in ("get", "post", "put", "patch", "delete") or (method, path) in OPEN:
                    continue
                for headers in REFUSALS:
                    real = path.replace("{id}", entry["id"])
                    reply = box.request(method.upper(), real, b"{}" if method != "get" else None,
                                        {**headers, "Content-Type": "application/json"})
                    assert reply.status == 401, f"{method} {real} {headers}: {reply.status}"
                    assert b"topsecretword" not in reply.body, real
                    tried += 1
        assert tried >= 10 * len(REFUSALS), f"only {tried} requests tried"
        for method, path in sorted(OPEN | {("get", "/"), ("get", "/logs"), ("get", "/index.html")}):
            if method == "get":
                assert b"topsecretword" not in box.request("GET", path).body, path
        for path in ("/../azekura.conf", "/%2e%2e/azekura.conf", "/assets/../../azekura.conf", "//etc/passwd",
                     "/assets/%2e%2e%2f%2e%2e%2fazekura.conf"):
            reply = box.request("GET", path)
            assert b"state.dir" not in reply.body and b"root:" not in reply.body, path


if __name__ == "__main__":
    run(main)
