"""The box's TLS certificate from the console: self-signed at first, a request signed elsewhere, uploads of every kind,
what is refused and why; senders' authorities.  No private key is ever seen outside of the receiver."""

import base64
import hashlib
import ssl

from authority import Authority
from azk import TLS, Product, ScenarioFailure, run, wait_for

NAME = "log.example.net"


def shown(box):
    """SHA-256 of the certificate that a sender is shown."""
    with box.connect_tls() as s:
        return hashlib.sha256(s.getpeercert(binary_form=True)).hexdigest()


def ask(box, path, body=None, method="POST"):
    """The request when it has been handled."""
    number = box.api(method, path, body, expect=202)["id"]
    return wait_for(lambda: (r := box.api("GET", f"/tls/requests/{number}"))["state"] != "asked" and r, f"{path} is handled")


def done(box, *args, **kw):
    r = ask(box, *args, **kw)
    assert r["state"] == "done", r
    return r["answer"]


def refused(box, says, body=None, path="/tls/certificate", method="POST"):
    r = ask(box, path, body, method)
    assert r["state"] == "refused" and says in r["error"], (says, r)


def check_first(box):
    mine = wait_for(lambda: box.api("GET", "/tls")["certificate"], "the first certificate is reported")
    assert mine["is_self_signed"] and mine["fingerprint"] == shown(box), mine
    box.send_tls([b"<13>1 - a app - - - by the first certificate"])


def check_csr(box, ca):
    before = shown(box)
    csr = done(box, "/tls/csr", {"common_name": NAME, "names": [NAME, "192.0.2.7"], "organization": "例", "country": "JP"})
    assert csr.startswith("-----BEGIN CERTIFICATE REQUEST-----"), csr
    assert box.api("GET", "/tls")["pending_csr"], "it is shown until it is answered"
    assert shown(box) == before
    other, _ = ca.issue("other.example.net")
    refused(box, "send its private key", {"pem": other})
    fingerprint = done(box, "/tls/certificate", {"pem": ca.pem + ca.sign(csr)})
    wait_for(lambda: shown(box) == fingerprint, "new connections get the new certificate")
    tls = box.api("GET", "/tls")
    assert tls["pending_csr"] is None and tls["certificate"]["fingerprint"] == fingerprint, tls
    assert tls["certificate"]["names"] == [NAME, "192.0.2.7"], tls
    trusting = ssl.create_default_context(cadata=ca.pem)
    trusting.check_hostname = False
    box.send_tls([b"<13>1 - b app - - - by a certificate that is checked"], context=trusting)
    # renewed: for the same key
    again = done(box, "/tls/certificate", {"pem": ca.sign(csr, days=80)})
    assert again != fingerprint


def check_uploads(box, ca):
    cert, key = ca.issue("up.example.net")
    fingerprint = done(box, "/tls/certificate", {"pem": cert, "key_pem": key})
    wait_for(lambda: shown(box) == fingerprint, "a certificate with its key is used")
    cert, key = ca.issue("locked.example.net")
    locked = ca.encrypted(key, "secret of the key")
    refused(box, "its password is needed", {"pem": cert, "key_pem": locked})
    refused(box, "does not open", {"pem": cert, "key_pem": locked, "password": "wrong"})
    fingerprint = done(box, "/tls/certificate", {"pem": cert, "key_pem": locked, "password": "secret of the key"})
    cert, key = ca.issue("twelve.example.net")
    file = base64.b64encode(ca.pkcs12(cert, key, "secret of the file")).decode("ascii")
    refused(box, "does not open", {"pkcs12_b64": file, "password": "wrong"})
    fingerprint = done(box, "/tls/certificate", {"pkcs12_b64": file, "password": "secret of the file"})
    wait_for(lambda: shown(box) == fingerprint, "a PKCS #12 file is used")
    cert, key = ca.issue("client.example.net", usage="clientAuth")
    refused(box, "may not be used by a server", {"pem": cert, "key_pem": key})
    other, _ = ca.issue("else.example.net")
    refused(box, "belongs to none of the 1", {"pem": other, "key_pem": key})
    assert shown(box) == fingerprint, "what was refused has changed nothing"


def check_authorities(box, ca):
    """Client certificates: an authority is added, required, used and removed."""
    fingerprint = done(box, "/tls/client-cas", {"pem": ca.pem})
    assert [c["fingerprint"] for c in box.api("GET", "/tls")["client_cas"]] == [fingerprint]
    box.api("PATCH", "/settings", {"receiver.tls_clients": "required"})
    cert, key = ca.issue("sender.example.net", usage="clientAuth")
    pair = ca.folder / "sender.pem"
    pair.write_text(cert + key, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # its failures are seen within the handshake

    def is_turned_away():
        try:
            box.connect_tls(context).close()
        except (ssl.SSLError, OSError):
            return True
        return False

    wait_for(is_turned_away, "who has no certificate is turned away")
    context.load_cert_chain(pair)
    box.send_tls([b"<13>1 - c app - - - by a certificate of the sender"], context=context)
    # required, but of whom?  so it stays, until nobody is asked any more
    r = ask(box, f"/tls/client-cas/{fingerprint}", method="DELETE")
    assert r["state"] == "refused" and "it is the last authority" in r["error"], r
    box.send_tls([b"<13>1 - c app - - - by the same certificate"], context=context)
    box.api("PATCH", "/settings", {"receiver.tls_clients": "none"})
    done(box, f"/tls/client-cas/{fingerprint}", method="DELETE")
    assert box.api("GET", "/tls")["client_cas"] == []
    return key


def check_secrets(box, secrets):
    assert box.value("select count(*) from azekura.tls_secret") == "0"
    texts = [box.log_text(n) for n in ("receiver", "web", "keeper")] + [box.cluster.log_text()]
    texts += [str(box.psql("select detail from azekura.audit")), str(box.psql("select * from azekura.tls_request")),
              str(box.api("GET", "/tls"))]
    for text in texts:
        assert not any(s in text for s in secrets) and "PRIVATE KEY" not in text, text[-3000:]
    folder = box.state / "receiver" / "tls"
    modes = {p.name: oct(p.stat().st_mode & 0o777) for p in [folder, *folder.iterdir()]}
    assert modes.pop("tls") == "0o700" and set(modes.values()) == {"0o600"}, modes


def main():
    with Authority() as ca, Product(TLS, daemons=("receiver", "web")) as box:
        check_first(box)
        check_csr(box, ca)
        check_uploads(box, ca)
        key = check_authorities(box, ca)
        check_secrets(box, [key.splitlines()[1], "secret of the key", "secret of the file"])
        box.wait_for_stored(4)
        kinds = [r[0] for r in box.psql("select kind from azekura.event where kind like 'tls.%'")]
        assert kinds.count("tls.installed") == 5, kinds
        before = shown_or_fail(box)
        box.stop("receiver")
        box.start("receiver")
        assert box.api("GET", "/tls")["certificate"]["fingerprint"] == before, "it is the same after a restart"


def shown_or_fail(box):
    found = box.api("GET", "/tls")["certificate"]
    if not found:
        raise ScenarioFailure("there is no certificate")
    return found["fingerprint"]


if __name__ == "__main__":
    run(main)
