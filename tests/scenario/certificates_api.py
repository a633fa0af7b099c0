"""Certificates by the API and the command line: a request is made, signed elsewhere and installed; keys that are uploaded stay nowhere
but with the receiver; authorities come and go; every answer as openapi.json says."""

import base64
import concurrent.futures
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile

from azk import Product, ScenarioFailure, run, wait_for
from openapi import Contract

V1 = "/api/v1"
PASSWORD = "the pass phrase of a key"


class Authority:
    """A certificate authority of this scenario's own, in `folder`."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.pem = folder / f"{name}.pem"
        self.key = folder / f"{name}.key"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self.key, "-out", self.pem,
                     "-days", "30", "-subj", f"/CN={name}")

    @staticmethod
    def openssl(*args, **kw):
        result = subprocess.run(["openssl", *map(str, args)], capture_output=True, check=False, **kw)
        if result.returncode != 0:
            raise ScenarioFailure(f"openssl {args[0]}: {result.stderr.decode()}")
        return result.stdout

    def sign(self, csr, usage="serverAuth", names="DNS:logs.example.net"):
        """The certificate that answers a request (PEM)."""
        extensions = self.folder / "extensions"
        extensions.write_text(f"subjectAltName={names}\nextendedKeyUsage={usage}\n", encoding="ascii")
        return self.openssl("x509", "-req", "-CA", self.pem, "-CAkey", self.key, "-days", "20", "-CAcreateserial", "-extfile", extensions,
                            input=csr.encode()).decode()

    def bag(self, key, pem):
        """A PKCS#12 file."""
        both = self.folder / "both.pem"
        both.write_text(pem + key, encoding="ascii")
        return self.openssl("pkcs12", "-export", "-passout", f"pass:{PASSWORD}", "-in", both)

    def issue(self, name, usage="serverAuth"):
        """A key and a certificate (PEM)."""
        key = self.folder / f"{name}.key"
        csr = self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-subj", f"/CN={name}")
        return key.read_text(encoding="ascii"), self.sign(csr.decode(), usage, f"DNS:{name}")


def ask(api, method, path, body, token):
    """Ask and wait for how it ended."""
    asked = api.call(method, V1 + path, token=token, body=body, expect=202)["id"]
    last = {}

    def ended():
        last.update(api.call("GET", f"{V1}/tls/requests/{asked}", token=token))
        return last["state"] != "asked"
    wait_for(ended, f"{method} {path} is done")
    return last


def done(api, method, path, body, token):
    request = ask(api, method, path, body, token)
    assert request["state"] == "done" and request["error"] is None, request
    return request


def refused(api, method, path, body, token, said):
    request = ask(api, method, path, body, token)
    assert request["state"] == "refused" and said in request["error"].lower(), request


def shown(box):
    """The certificate that the listener shows: DER."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(box.address("tls"), 20) as plain, context.wrap_socket(plain) as s:
        return s.getpeercert(True)


def der(pem):
    return ssl.PEM_cert_to_DER_cert(pem[pem.index("-----BEGIN CERT"):pem.index("-----END CERT")] + "-----END CERTIFICATE-----\n")


def wait_until_shown(box, pem):
    wait_for(lambda: shown(box) == der(pem), "the listener shows the certificate")


def check_roles(api, box):
    routes = [("GET", "/tls", None), ("GET", "/tls/csr", None), ("GET", "/tls/requests/1", None), ("POST", "/tls/csr", {}), ("POST", "/tls/self-signed", {}),
              ("POST", "/tls/certificate", {}), ("POST", "/tls/client-cas", {}), ("DELETE", "/tls/client-cas/" + "a" * 64, None),
              ("PUT", "/tls/allowed", {})]
    for method, path, body in routes:
        api.call(method, V1 + path, body=body, expect=401)
        for role in ("viewer", "operator"):
            api.call(method, V1 + path, body=body, token=box.token(role), expect=403)
    return routes


def check_bad_bodies(api, admin):
    """Refused at once, with the field."""
    good = {"common_name": "logs.example.net"}
    for path in ("/tls/csr", "/tls/self-signed"):
        for body, field in (({}, "common_name"), ({"common_name": ""}, "common_name"), ({"common_name": "x" * 65}, "common_name"),
                            ({"common_name": "a\nb"}, "common_name"), ({"common_name": "Our Box"}, "names"), ({**good, "names": "x"}, "names"),
                            ({**good, "names": [1]}, "names"), ({**good, "names": ["a b"]}, "names"), ({**good, "names": ["x"] * 33}, "names"),
                            ({**good, "country": "Japan"}, "country"), ({**good, "organization": "x" * 65}, "organization"),
                            ({**good, "key": "rsa-512"}, "key"), ({**good, "more": 1}, "more")):
            error = api.call("POST", V1 + path, token=admin, body=body, expect=400)["error"]
            assert error["field"] == field, (body, error)
    pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    key = "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"
    for body, field in (({}, "pem"), ({"pem": "x"}, "pem"), ({"pem": pem, "pkcs12_b64": "AA=="}, "pem"), ({"pem": key}, "pem"), ({"pem": pem[:-30]}, "pem"),
                        ({"pem": pem, "key_pem": "x"}, "key_pem"), ({"pem": pem + key, "key_pem": key}, "key_pem"), ({"pkcs12_b64": "?"}, "pkcs12_b64"),
                        ({"pkcs12_b64": "AA==", "key_pem": key}, "key_pem"), ({"pem": pem, "password": "x" * 1025}, "password"), ({"pem": 1}, "pem"),
                        ({"pem": pem, "chain": pem}, "chain")):
        error = api.call("POST", f"{V1}/tls/certificate", token=admin, body=body, expect=400)["error"]
        assert error["field"] == field, (body, error)
    for body in ({}, {"pem": "x"}, {"pem": pem + key}, {"pem": pem, "more": 1}):
        api.call("POST", f"{V1}/tls/client-cas", token=admin, body=body, expect=400)
    for body in ({}, {"allowed": 1}, {"allowed": [1]}, {"allowed": [{"kind": "ip", "value": "x"}]}, {"allowed": [{"kind": "name", "value": ""}]},
                 {"allowed": [{"kind": "name", "value": " a"}]}, {"allowed": [{"kind": "fingerprint", "value": "ab"}]}, {"allowed": [{"kind": "name"}]},
                 {"allowed": [{"kind": "name", "value": "a", "note": "x" * 201}]}, {"allowed": [{"kind": "name", "value": "a", "more": 1}]},
                 {"allowed": [{"kind": "name", "value": "a"}] * 2}):
        error = api.call("PUT", f"{V1}/tls/allowed", token=admin, body=body, expect=400)["error"]
        assert error["message"], body
    api.call("DELETE", f"{V1}/tls/client-cas/{'a' * 64}", token=admin, expect=404)
    api.call("DELETE", f"{V1}/tls/client-cas/x", token=admin, expect=404)
    for wrong in ("0", "99999", "x", "-1"):
        api.call("GET", f"{V1}/tls/requests/{wrong}", token=admin, expect=404)


def check_own(api, box, admin):
    """The receiver made one at the first start; another one on demand."""
    wait_for(lambda: api.call("GET", f"{V1}/tls", token=admin)["certificate"], "the receiver's certificate is reported")
    first = api.call("GET", f"{V1}/tls", token=admin)["certificate"]
    assert first["is_self_signed"] and first["days_left"] > 0 and shown(box) == der(first["pem"]), first
    done(api, "POST", "/tls/self-signed", {"common_name": "logs.example.net", "names": ["logs.example.net", "127.0.0.1"], "key": "rsa-3072"}, admin)
    second = api.call("GET", f"{V1}/tls", token=admin)["certificate"]
    assert second["names"] == ["logs.example.net", "127.0.0.1"] and second["key"].startswith("rsa") and second["fingerprint"] != first["fingerprint"], second
    wait_until_shown(box, second["pem"])
    assert b"azekura_tls_certificate_days_left " in api.call("GET", "/metrics")


def check_csr(api, box, admin, ca):
    """Key and request are made, the answer is installed."""
    api.call("GET", f"{V1}/tls/csr", token=admin, expect=404)
    done(api, "POST", "/tls/csr", {"common_name": "logs.example.net", "organization": "校倉 & \"Co\"", "country": "JP"}, admin)
    pending = api.call("GET", f"{V1}/tls", token=admin)["pending_csr"]
    csr = api.call("GET", f"{V1}/tls/csr", token=admin).decode()
    assert csr == pending["pem"] and csr.startswith("-----BEGIN CERTIFICATE REQUEST-----") and "attachment" in api.last.headers["Content-Disposition"]
    text = ca.openssl("req", "-noout", "-text", "-verify", "-nameopt", "utf8,sep_comma_plus", input=csr.encode()).decode()
    assert "DNS:logs.example.net" in text and "校倉" in text, text
    other = ca.issue("other.example.net")[1]
    refused(api, "POST", "/tls/certificate", {"pem": other}, admin, "key")
    signed = ca.sign(csr)
    done(api, "POST", "/tls/certificate", {"pem": signed + ca.pem.read_text(encoding="ascii")}, admin)
    now = api.call("GET", f"{V1}/tls", token=admin)
    assert not now["certificate"]["is_self_signed"] and "CA one" in now["certificate"]["issuer"] and now["pending_csr"] is None, now
    wait_until_shown(box, signed)
    api.call("GET", f"{V1}/tls/csr", token=admin, expect=404)


def nowhere(box, *secrets):
    """The texts are in no table, no log, no answer of the database."""
    dump = "\n".join(str(box.psql(f"select * from azekura.{t}")) for t in ("tls_request", "tls_secret", "audit", "event", "tls_certificate", "setting"))
    logs = "\n".join([box.log_text(d) for d in ("web", "receiver", "keeper")] + [box.cluster.log_text()])
    for secret in secrets:
        assert secret not in dump and secret not in logs, secret
    assert box.value("select pg_relation_size('azekura.tls_secret')") == "0", "not even a dead row"


def check_upload(api, box, admin, ca):
    """Keys that come along: beside it, in it, with a pass phrase, as PKCS#12; and none stays behind."""
    box.psql("alter system set log_min_duration_statement = 0")
    box.psql("select pg_reload_conf()")
    wait_for(lambda: box.value("show log_min_duration_statement") == "0", "every statement is logged")
    key, pem = ca.issue("one.example.net")
    done(api, "POST", "/tls/certificate", {"pem": pem, "key_pem": key}, admin)
    wait_until_shown(box, pem)
    two_key, two = ca.issue("two.example.net")
    done(api, "POST", "/tls/certificate", {"pem": two + two_key}, admin)
    wait_until_shown(box, two)
    locked = ca.openssl("pkcs8", "-topk8", "-passout", f"pass:{PASSWORD}", input=key.encode()).decode()
    refused(api, "POST", "/tls/certificate", {"pem": pem, "key_pem": locked, "password": "wrong"}, admin, "pass")
    done(api, "POST", "/tls/certificate", {"pem": pem, "key_pem": locked, "password": PASSWORD}, admin)
    wait_until_shown(box, pem)
    bag = ca.bag(two_key, two)
    done(api, "POST", "/tls/certificate", {"pkcs12_b64": base64.b64encode(bag).decode(), "password": PASSWORD}, admin)
    wait_until_shown(box, two)
    refused(api, "POST", "/tls/certificate", {"pem": pem, "key_pem": two_key}, admin, "key")
    box.psql("alter system reset log_min_duration_statement")
    box.psql("select pg_reload_conf()")
    assert "ask_tls" in box.cluster.log_text(), "what would have been logged was"
    nowhere(box, PASSWORD, key.splitlines()[1], two_key.splitlines()[1], locked.splitlines()[1], base64.b64encode(bag).decode()[100:160])
    kinds = box.psql("select detail ->> 'state', count(*) from azekura.audit where action = 'tls.install' group by 1 order by 1")
    assert kinds == [("asked", "8"), ("done", "5"), ("refused", "3")], kinds


def check_nothing_to_check_by(api, box, admin):
    """Certificates of senders cannot be asked for before there is anything to check them by."""
    for wish in ("required", "optional"):
        error = api.call("PATCH", f"{V1}/settings", token=admin, body={"receiver.tls_clients": wish}, expect=400)["error"]
        assert error["field"] == "receiver.tls_clients" and "neither an authority nor an allowed fingerprint" in error["message"], error
        result = box.cli("config", "set", "receiver.tls_clients", wish, check=False)
        assert result.returncode == 2 and "neither an authority" in result.stderr, result
    assert box.value("select count(*) from azekura.setting") == "0"
    allowed = [{"kind": "fingerprint", "value": "ab" * 32}, {"kind": "name", "value": "x"}]
    api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": allowed})
    api.call("PATCH", f"{V1}/settings", token=admin, body={"receiver.tls_clients": "required"})
    for rest in ([], allowed[1:]):
        error = api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": rest}, expect=400)["error"]
        assert error["field"] == "allowed" and "receiver.tls_clients is required" in error["message"], error
    api.call("PATCH", f"{V1}/settings", token=admin, body={"receiver.tls_clients": None})
    api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": []})


def check_many_at_once(box, admin, pem, key):
    """Several administrators and the receiver at the same table: none gets in the other's way."""
    headers = {"Authorization": f"Bearer {admin}", "Content-Type": "application/json"}
    body = json.dumps({"pem": pem, "key_pem": key}).encode()

    def install(_):
        return box.request("POST", f"{V1}/tls/certificate", body, headers).status
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(install, range(48)))
    assert 202 in statuses and statuses <= {202, 409}, statuses
    wait_for(lambda: box.value("select count(*) from azekura.tls_request where state = 'asked'") == "0", "all are answered")
    assert box.value("select string_agg(distinct state, ',') from azekura.tls_request where kind = 'install' and id > (select max(id) - 5 from azekura.tls_request)") == "done"
    nowhere(box, key.splitlines()[1])


def check_clients(api, box, admin, ca, folder):
    """Authorities, and who of those they vouch for may send."""
    own = ca.pem.read_text(encoding="ascii")
    done(api, "POST", "/tls/client-cas", {"pem": own}, admin)
    listed = api.call("GET", f"{V1}/tls", token=admin)["client_cas"]
    assert len(listed) == 1 and "CA one" in listed[0]["subject"], listed
    box.cli("config", "set", "receiver.tls_clients", "optional")
    key, pem = ca.issue("fw01.example.net", "clientAuth")
    (folder / "client.pem").write_text(pem + key, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.load_cert_chain(folder / "client.pem")

    def is_known():
        with socket.create_connection(box.address("tls"), 20) as plain, context.wrap_socket(plain) as s:
            s.sendall(b"<13>1 - - - - - - by tls\n")
        return api.call("GET", f"{V1}/tls", token=admin)["senders"]
    wait_for(is_known, "the sender's certificate is reported")
    sender = is_known()[0]
    assert sender["name"] == "fw01.example.net" and sender["source"] == "127.0.0.1" and sender["connections"] >= 1, sender
    error = api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": [{"kind": "name", "value": "fw02.example.net"}]}, expect=409)["error"]
    assert error["code"] == "would_shut_out" and "fw01.example.net (127.0.0.1)" in error["message"], error
    pasted = ":".join(sender["fingerprint"][i:i + 2].upper() for i in range(0, 64, 2))
    allowed = [{"kind": "fingerprint", "value": pasted, "note": "the gate"}, {"kind": "name", "value": "FW02.example.net"}]
    answer = api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": allowed})["allowed"]
    assert {(a["kind"], a["value"], a["note"]) for a in answer} == {("fingerprint", sender["fingerprint"], "the gate"), ("name", "FW02.example.net", "")}, answer
    api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": [{"kind": "name", "value": "fw02.example.net"}], "force": True})
    said = box.cli("tls", "show")
    assert "fw01.example.net" in said and "fw02.example.net" in said and "CA one" in said, said
    whole = json.loads(box.cli("tls", "--json"))
    assert whole["senders"][0]["name"] == "fw01.example.net" and whole["certificate"]["fingerprint"], whole
    assert api.call("PUT", f"{V1}/tls/allowed", token=admin, body={"allowed": []})["allowed"] == []
    check_allowed_by_hand(box, sender["fingerprint"], pasted)
    fingerprint = listed[0]["fingerprint"]
    refused(api, "DELETE", f"/tls/client-cas/{fingerprint}", None, admin, "receiver.tls_clients is optional")
    box.cli("config", "reset", "receiver.tls_clients")
    done(api, "DELETE", f"/tls/client-cas/{fingerprint}", None, admin)
    assert api.call("GET", f"{V1}/tls", token=admin)["client_cas"] == []


def check_allowed_by_hand(box, fingerprint, pasted):
    """azekura tls allow: one row at a time; the sender of the last hour is fw01.example.net."""
    def rows():
        return [(a["kind"], a["value"], a["note"]) for a in json.loads(box.cli("tls", "allow", "list", "--json"))]
    assert rows() == [] and "whoever" in box.cli("tls", "allow")
    late = box.cli("tls", "allow", "add", "fw02.example.net", check=False)
    assert late.returncode == 1 and "fw01.example.net (127.0.0.1)" in late.stdout and rows() == [], late
    box.cli("tls", "allow", "add", "fw02.example.net", "--yes")
    box.cli("tls", "allow", "add", pasted, "--note", "the gate")
    box.cli("tls", "allow", "add", "fw02.example.net", "--note", "again")
    assert rows() == [("fingerprint", fingerprint, "the gate"), ("name", "fw02.example.net", "again")], rows()
    assert "the gate" in box.cli("tls", "allow")
    last = box.cli("tls", "allow", "remove", fingerprint, check=False)
    assert last.returncode == 1 and "fw01.example.net" in last.stdout, last
    box.cli("tls", "allow", "remove", pasted.lower(), "--yes")
    box.cli("tls", "allow", "remove", "fw02.example.net")
    assert rows() == []
    for args, code, said in ((("add",), 2, "one name"), (("add", " x"), 2, "without blanks"), (("remove", "x"), 1, 'no name "x"'), (("give", "x"), 2, "only list, add and remove"),
                             (("remove", "x", "--note", "y"), 2, "note")):
        result = box.cli("tls", "allow", *args, check=False)
        assert result.returncode == code and said in result.stderr, (args, result)


def check_command_line(box, ca, folder):
    csr = box.cli("tls", "csr", "--name", "logs.example.net", "--names", "logs.example.net,192.0.2.10", "--organization", "Example")
    assert csr.startswith("-----BEGIN CERTIFICATE REQUEST-----"), csr
    (folder / "answer.pem").write_text(ca.sign(csr, names="DNS:logs.example.net"), encoding="ascii")
    box.cli("tls", "install", folder / "answer.pem")
    wait_until_shown(box, (folder / "answer.pem").read_text(encoding="ascii"))
    key, pem = ca.issue("three.example.net")
    bag = ca.bag(key, pem)
    (folder / "three.p12").write_bytes(bag)
    (folder / "password").write_text(PASSWORD + "\n", encoding="ascii")
    box.cli("tls", "install", folder / "three.p12", "--password-file", folder / "password")
    wait_until_shown(box, pem)
    box.cli("tls", "ca", "add", ca.pem)
    fingerprint = json.loads(box.cli("tls", "show", "--format", "json"))["client_cas"][0]["fingerprint"]
    box.cli("tls", "ca", "remove", fingerprint)
    box.cli("tls", "self-signed", "--name", "logs.example.net")
    for args, code, said in ((("install",), 2, "one file"), (("csr",), 2, "--name"), (("install", folder / "none"), 2, "No such file"),
                             (("ca", "remove", "x"), 1, "fingerprint"), (("format",), 2, "no \"format\""), (("install", folder / "answer.pem"), 1, "key")):
        result = box.cli("tls", *args, check=False)
        assert result.returncode == code and said in result.stderr, (args, result)


def check_nobody_answers(api, box, admin, pem):
    """Without a receiver sixteen requests wait, and no key for longer than five minutes."""
    box.stop("receiver")
    key = "-----BEGIN PRIVATE KEY-----\nTHE-KEY-OF-NOBODY\n-----END PRIVATE KEY-----\n"
    for _ in range(16):
        api.call("POST", f"{V1}/tls/certificate", token=admin, body={"pem": pem, "key_pem": key}, expect=202)
    last = api.call("GET", f"{V1}/tls/requests/{json.loads(api.last.body)['id']}", token=admin)
    assert last["state"] == "asked" and "THE-KEY" not in str(last), last
    wish = {"common_name": "logs.example.net"}
    authority = {"pem": pem}
    for path, body in (("/tls/csr", wish), ("/tls/self-signed", wish), ("/tls/certificate", {"pem": pem}), ("/tls/client-cas", authority)):
        error = api.call("POST", V1 + path, token=admin, body=body, expect=409)["error"]
        assert error["code"] == "too_many", error
    box.psql("insert into azekura.tls_client_ca select 'x', repeat('a', 64), 'CN=x', now(), now(), 'x'")
    api.call("DELETE", f"{V1}/tls/client-cas/{'a' * 64}", token=admin, expect=409)
    assert int(box.value("select count(*) from azekura.tls_secret where key_pem like '%NOBODY%'")) == 16
    box.psql("update azekura.tls_request set at = now() - interval '6 minutes' where state = 'asked'")
    wait_for(lambda: box.value("select count(*) from azekura.tls_request where state = 'asked'") == "0", "the keeper closes them")
    nowhere(box, "NOBODY")
    assert "5 minutes" in api.call("GET", f"{V1}/tls/requests/{last['id']}", token=admin)["error"]


def check_away(api, box, admin, routes):
    box.allow_errors(r"database|FATAL|terminating")
    box.cluster.halt(signal.SIGINT)
    good = {"POST /tls/csr": {"common_name": "a.b"}, "POST /tls/self-signed": {"common_name": "a.b"},
            "POST /tls/certificate": {"pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"},
            "POST /tls/client-cas": {"pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"}, "PUT /tls/allowed": {"allowed": []}}
    for method, path, _ in routes:
        api.call(method, V1 + path, token=admin, body=good.get(f"{method} {path}"), expect=503)
    box.cluster.start()


def main():
    with tempfile.TemporaryDirectory(prefix="azk-ca-", dir="/tmp") as folder, Product({"listen.tls": "127.0.0.1:0"}) as box:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        ca = Authority(folder, "CA one")
        api, admin = Contract(box), box.token("admin")
        routes = check_roles(api, box)
        check_bad_bodies(api, admin)
        check_own(api, box, admin)
        check_csr(api, box, admin, ca)
        check_upload(api, box, admin, ca)
        check_nothing_to_check_by(api, box, admin)
        check_many_at_once(box, admin, *reversed(ca.issue("many.example.net")))
        check_clients(api, box, admin, ca, folder)
        check_command_line(box, ca, folder)
        check_nobody_answers(api, box, admin, ca.issue("x.example.net")[1])
        check_away(api, box, admin, routes)
        api.assert_all_exercised(under=f"{V1}/tls")


if __name__ == "__main__":
    run(main)
