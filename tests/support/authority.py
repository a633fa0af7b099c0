"""A certificate authority of a test, by the openssl command, in a folder of its own."""

import pathlib
import subprocess
import tempfile


class Authority:
    """`issue()` gives PEM texts; files lie in `folder` until close()."""

    def __init__(self, name="Test Authority"):
        self.holder = tempfile.TemporaryDirectory(prefix="azk-ca-", dir="/tmp")  # pylint: disable=consider-using-with
        self.folder = pathlib.Path(self.holder.name)
        self.key, self.file = self.folder / "ca.key", self.folder / "ca.pem"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
                     "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.cleanup()

    def openssl(self, *args, stdin=None):
        done = subprocess.run(["openssl", *map(str, args)], input=stdin, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"openssl {args[0]}: {done.stderr.decode()}")
        return done.stdout

    @property
    def pem(self):
        return self.file.read_text(encoding="ascii")

    def sign(self, csr_pem, days=60, usage="serverAuth", names=None):
        """A certificate for a request, with the request's names or `names` ("DNS:a,IP:1.2.3.4")."""
        csr, extensions = self.folder / "csr.pem", self.folder / "extensions"
        csr.write_text(csr_pem, encoding="ascii")
        extra = f"subjectAltName={names}\n" if names else ""
        extensions.write_text(f"extendedKeyUsage={usage}\nbasicConstraints=CA:FALSE\n{extra}", encoding="ascii")
        return self.openssl("x509", "-req", "-in", csr, "-CA", self.file, "-CAkey", self.key, "-CAcreateserial", "-days",
                            days, "-copy_extensions", "copy", "-extfile", extensions).decode("ascii")

    def issue(self, name, days=60, usage="serverAuth", names=None):
        """(certificate, private key) for a new key."""
        key = self.folder / "new.key"
        csr = self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                           f"/CN={name}", "-keyout", key)
        return self.sign(csr.decode("ascii"), days, usage, names or f"DNS:{name}"), key.read_text(encoding="ascii")

    def pkcs12(self, certificate, key, password):
        both = self.folder / "both.pem"
        both.write_text(certificate + self.pem + key, encoding="ascii")
        return self.openssl("pkcs12", "-export", "-passout", f"pass:{password}", "-in", both)

    def encrypted(self, key, password):
        return self.openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", f"pass:{password}",
                            stdin=key.encode("ascii")).decode("ascii")
