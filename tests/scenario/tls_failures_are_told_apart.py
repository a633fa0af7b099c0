"""A handshake that fails is counted by its reason and told of in a line that names the sender and what is wrong; good
senders, by certificate or fingerprint, go on.  Plain text on the TLS port is said to be that, a thousand times in
one line, and is not stored."""

import contextlib
import datetime
import hashlib
import os
import socket
import ssl
import subprocess

from authority import Authority
from azk import TLS, Product, frame, run, wait_for


def utc(days):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)).strftime("%Y%m%d%H%M%SZ")


def dated(ca, name, begin, end):
    """(certificate, key) that is good from `begin` to `end` days from now: x509 knows no other begin than now."""
    certificate, key = ca.issue(name, usage="clientAuth")
    csr = ca.openssl("x509", "-x509toreq", "-in", "/dev/stdin", "-signkey", ca.folder / "new.key",
                     stdin=certificate.encode())
    (ca.folder / "dated.csr").write_bytes(csr)
    (ca.folder / "index").write_bytes(b"")
    (ca.folder / "ca.conf").write_text(
        f"[ca]\ndefault_ca=d\n[d]\ndatabase={ca.folder}/index\nnew_certs_dir={ca.folder}\nrand_serial=yes\n"
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n", encoding="ascii")
    out = ca.folder / "dated.pem"
    ca.openssl("ca", "-batch", "-notext", "-config", ca.folder / "ca.conf", "-cert", ca.file, "-keyfile", ca.key, "-in",
               ca.folder / "dated.csr", "-out", out, "-startdate", utc(begin), "-enddate", utc(end))
    return out.read_text(encoding="ascii"), key


def client(pair=None, folder=None, **versions):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for member, value in versions.items():
        setattr(context, member, value)
    if pair:
        path = folder / "client.pem"
        path.write_text(pair[0] + pair[1], encoding="ascii")
        context.load_cert_chain(path)
    return context


def put(box, name, text):
    folder = box.state / "receiver" / "tls"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="ascii")
    path.chmod(0o600)
    if box.user:
        for p in (folder, path):
            os.chown(p, box.user.pw_uid, box.user.pw_gid)


def failed(box):
    return box.api("GET", "/receiver")["detail"]["tls"]["failed"]


def refused(box, context, source="127.0.0.1"):
    """A connection with which nothing can be sent."""
    try:
        with box.connect_tls(context, source) as s:
            s.settimeout(60)
            s.sendall(frame(b"<13>never stored", True))
            assert s.recv(1) == b"", "the receiver spoke"
            raise AssertionError("the connection was neither refused nor ended by an alert")
    except OSError:  # ssl.SSLError is one
        pass


def plain_text(box, times, text=b"<13>Mar 10 11:44:00 h1 t: plain\n"):
    for _ in range(times):
        with socket.create_connection(box.address("tls"), 60) as s, contextlib.suppress(OSError):
            s.sendall(text)
            s.shutdown(socket.SHUT_WR)
            assert s.recv(100) == b"", "an answer to plain text"


def main():
    with Authority() as ca, Authority("Somebody Else") as other, Product(
            TLS | {"receiver.tls_clients": "required"}, daemons=("web", "keeper")) as box:
        pinned = other.issue("pinned", usage="clientAuth")
        fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pinned[0])).hexdigest()
        put(box, "client_cas.pem", ca.pem)
        # as the receiver knows them from an earlier run
        put(box, "allowed", f"name fw1.example.net\nfingerprint {fingerprint}\n")
        allowed = [{"kind": "name", "value": "fw1.example.net", "note": ""},
                   {"kind": "fingerprint", "value": fingerprint, "note": ""}]
        box.api("PUT", "/tls/allowed", {"allowed": allowed})
        box.start("receiver")

        good = ca.issue("fw1.example.net", usage="clientAuth")
        sent = box.send_tls([b"<13>1 - - good - - - by name"], context=client(good, ca.folder))
        sent += box.send_tls([b"<13>1 - - good - - - by fingerprint"], context=client(pinned, ca.folder))
        sent += box.send_tls([b"<13>1 - - good - - - in TLS 1.2"], context=client(
            good, ca.folder, maximum_version=ssl.TLSVersion.TLSv1_2))

        cases = (
            ("no_certificate", client(), "it sent no certificate"),
            ("unknown_ca", client(other.issue("fw1.example.net", usage="clientAuth"), ca.folder), "no authority known"),
            ("wrong_name", client(ca.issue("fw2.example.net", usage="clientAuth"), ca.folder), "fw2.example.net"),
            ("expired", client(dated(ca, "fw1.example.net", -20, -10), ca.folder), "has expired"),
            ("not_yet_valid", client(dated(ca, "fw1.example.net", 10, 20), ca.folder), "not valid yet"),
        )
        for i, (reason, context, words) in enumerate(cases):
            source = f"127.0.1.{i + 1}"
            refused(box, context, source)
            wait_for(lambda r=reason: failed(box)[r] == 1, f"one failure for {reason}: {failed(box)}")
            line = next(l for l in box.log_text("receiver").splitlines() if source in l)
            assert words in line and "1 TLS connections" in line, line

        # what Python's own library would not offer any more
        def s_client(*args):
            return subprocess.run(
                ["openssl", "s_client", "-connect", "%s:%d" % box.address("tls"), *args], input=b"", capture_output=True,
                check=False, timeout=60)

        s_client("-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        wait_for(lambda: failed(box)["version"] == 1, "an old version is counted")
        assert "TLS 1.1 at most" in box.log_text("receiver")
        assert "receiver.tls_min_version may be 1.2, and nothing older" in box.log_text("receiver"), "1.2 cannot be lowered"
        s_client("-tls1_2", "-cipher", "AES128-SHA:AES256-SHA256")
        wait_for(lambda: failed(box)["cipher"] == 1, "ciphers without ECDHE and AEAD are counted")
        verifying = client(good, ca.folder)
        verifying.verify_mode = ssl.CERT_REQUIRED  # of an authority that did not sign for the box
        verifying.load_verify_locations(other.file)
        refused(box, verifying)
        wait_for(lambda: failed(box)["revoked_or_refused"] == 1, "the sender's refusal is counted")

        lines = len(box.log_text("receiver").splitlines())
        plain_text(box, 1000)
        plain_text(box, 1, b"GET / HTTP/1.1\r\nHost: box\r\n\r\n")
        wait_for(lambda: failed(box)["not_tls"] == 1001, "plain text is counted")
        added = box.log_text("receiver").splitlines()[lines:]
        assert len([l for l in added if "plain text, which begins with '<13>Mar 10" in l]) == 1, added
        assert len(added) < 10, added

        # one that is open already, and breaks
        s = box.connect_tls(client(good, ca.folder))
        s.sendall(frame(b"<13>1 - - good - - - before it breaks", True))
        sent += 1
        box.wait_for_stored(sent)
        with socket.socket(fileno=s.detach()) as bare:
            bare.settimeout(60)
            bare.sendall(b"<13>this is no record\n")
            with contextlib.suppress(ConnectionError):
                while bare.recv(1000):
                    pass
        wait_for(lambda: failed(box)["not_tls"] == 1002, "a connection that broke is counted")
        line = next(l for l in box.log_text("receiver").splitlines() if "open TLS connections" in l)
        assert "1 open TLS connections broke, the last with 127.0.0.1" in line and "what came before it is stored" in line, line

        sent += box.send_tls([b"<13>1 - - good - - - at last"], context=client(good, ca.folder))
        box.wait_for_stored(sent)
        box.assert_ledger(sent=sent)
        tls = box.api("GET", "/receiver")["detail"]["tls"]
        assert tls["handshakes"] == sent and tls["open"] == 0 and tls["half_open"] == 0, tls
        senders = wait_for(lambda: (s := box.api("GET", "/tls")["senders"]) and len(s) == 2 and s, "senders are named")
        assert {s["fingerprint"] for s in senders} >= {fingerprint}, senders


if __name__ == "__main__":
    run(main)
