"""A Sigstore of a test's own: authority, certificate log and signature log, all in memory.

It makes bundles with a real certificate, a real SCT in it, and a real inclusion proof in a log of
one entry, and the file of keys to check them with. Formats: RFC 6962 (SCT), the signed note of a
checkpoint, DSSE.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

BUNDLE: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
STATEMENT: Final = "application/vnd.in-toto+json"
_SCTS: Final = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_ISSUER: Final = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_NOW: Final = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
_SHA256: Final = ec.ECDSA(hashes.SHA256())


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _spki(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


@dataclass
class Sigstore:
    """An authority that believes whatever identity it is told, and its two logs."""

    authority: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    certificates: ec.EllipticCurvePrivateKey = field(default_factory=_key)
    signatures: ec.EllipticCurvePrivateKey = field(default_factory=_key)

    def __post_init__(self) -> None:
        """Make the authority's own certificate."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        public = self.authority.public_key()
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False,
        )  # fmt: skip
        self.root = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(public)
            .serial_number(1)
            .not_valid_before(_NOW - timedelta(days=30))
            .not_valid_after(_NOW + timedelta(days=3_650))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .sign(self.authority, hashes.SHA256())
        )

    def trusted_root(self, path: Path) -> Path:
        """Write the file of keys."""
        start = {"start": "2025-01-01T00:00:00Z"}

        def log(key: ec.EllipticCurvePrivateKey, url: str) -> dict[str, Any]:
            public = {
                "rawBytes": _b64(_spki(key)),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": start,
            }
            log_id = {"keyId": _b64(hashlib.sha256(_spki(key)).digest())}
            return {
                "baseUrl": url, "hashAlgorithm": "SHA2_256", "publicKey": public, "logId": log_id
            }  # fmt: skip

        chain = [{"rawBytes": _b64(self.root.public_bytes(serialization.Encoding.DER))}]
        value = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self.signatures, "https://rekor.example")],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "example", "commonName": "test authority"},
                    "uri": "https://fulcio.example",
                    "certChain": {"certificates": chain},
                    "validFor": start,
                }
            ],
            "ctlogs": [log(self.certificates, "https://ct.example")],
            "timestampAuthorities": [],
        }
        path.write_text(json.dumps(value))
        return path

    def sign(self, artifact: bytes, identity: str, issuer: str) -> dict[str, Any]:
        """A bundle with a signature over bytes."""
        key = _key()
        certificate = self._certificate(key, identity, issuer)
        digest = hashlib.sha256(artifact)
        signature = key.sign(artifact, _SHA256)
        body = {
            "apiVersion": "0.0.1",
            "kind": "hashedrekord",
            "spec": {
                "data": {"hash": {"algorithm": "sha256", "value": digest.hexdigest()}},
                "signature": {
                    "content": _b64(signature),
                    "publicKey": {"content": _b64(_pem(certificate))},
                },
            },
        }
        message = {
            "messageDigest": {"algorithm": "SHA2_256", "digest": _b64(digest.digest())},
            "signature": _b64(signature),
        }
        return self._bundle(certificate, "hashedrekord", body) | {"messageSignature": message}

    def attest(
        self, payload: bytes, identity: str, issuer: str, kind: str = STATEMENT
    ) -> dict[str, Any]:
        """A bundle with an envelope around a signed payload."""
        key = _key()
        certificate = self._certificate(key, identity, issuer)
        covered = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
        signature = _b64(key.sign(covered, _SHA256))
        envelope = {
            "payload": _b64(payload), "payloadType": kind, "signatures": [{"sig": signature}]
        }  # fmt: skip
        text = json.dumps(envelope).encode()
        body = {
            "apiVersion": "0.0.1",
            "kind": "dsse",
            "spec": {
                "envelopeHash": {"algorithm": "sha256", "value": hashlib.sha256(text).hexdigest()},
                "payloadHash": {
                    "algorithm": "sha256",
                    "value": hashlib.sha256(payload).hexdigest(),
                },
                "signatures": [{"signature": signature, "verifier": _b64(_pem(certificate))}],
            },
        }
        return self._bundle(certificate, "dsse", body) | {"dsseEnvelope": envelope}

    def _certificate(
        self, key: ec.EllipticCurvePrivateKey, identity: str, issuer: str
    ) -> x509.Certificate:
        usage = x509.KeyUsage(
            digital_signature=True, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=False, crl_sign=False,
            encipher_only=False, decipher_only=False,
        )  # fmt: skip
        public = self.authority.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([]))
            .issuer_name(self.root.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(_NOW)
            .not_valid_after(_NOW + timedelta(minutes=10))
            .add_extension(usage, critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(public), critical=False
            )
            .add_extension(x509.SubjectAlternativeName([x509.RFC822Name(identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER, issuer.encode()), critical=False)
        )
        before = builder.sign(self.authority, hashes.SHA256()).tbs_certificate_bytes
        scts = x509.UnrecognizedExtension(_SCTS, self._scts(before))
        return builder.add_extension(scts, critical=False).sign(self.authority, hashes.SHA256())

    def _scts(self, certificate: bytes) -> bytes:
        """A list with one signed timestamp of the certificate's log (RFC 6962, 3.2 and 3.3)."""
        milliseconds = int(_NOW.timestamp() * 1000)
        issuer = hashlib.sha256(_spki(self.authority)).digest()
        entry = issuer + len(certificate).to_bytes(3, "big") + certificate
        signed = struct.pack("!BBQH", 0, 0, milliseconds, 1) + entry + b"\0\0"
        signature = self.certificates.sign(signed, _SHA256)
        log = hashlib.sha256(_spki(self.certificates)).digest()
        sct = b"\0" + log + struct.pack("!QH", milliseconds, 0)
        sct += b"\x04\x03" + len(signature).to_bytes(2, "big") + signature
        listed = len(sct).to_bytes(2, "big") + sct
        value = len(listed).to_bytes(2, "big") + listed
        length = bytes([len(value)]) if len(value) < 128 else b"\x81" + bytes([len(value)])
        return b"\x04" + length + value

    def _bundle(self, certificate: x509.Certificate, kind: str, body: Any) -> dict[str, Any]:
        """The bundle without what is signed: certificate, log entry, proof and promise."""
        text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        root = hashlib.sha256(b"\0" + text).digest()
        log = hashlib.sha256(_spki(self.signatures)).digest()
        note = f"rekor.example\n1\n{_b64(root)}\n"
        signed_note = _b64(log[:4] + self.signatures.sign(note.encode(), _SHA256))
        moment = int((_NOW + timedelta(minutes=1)).timestamp())
        promised = {
            "body": _b64(text), "integratedTime": moment, "logID": log.hex(), "logIndex": 0
        }  # fmt: skip
        promise = json.dumps(promised, sort_keys=True, separators=(",", ":")).encode()
        entry = {
            "logIndex": "0",
            "logId": {"keyId": _b64(log)},
            "kindVersion": {"kind": kind, "version": "0.0.1"},
            "integratedTime": str(moment),
            "inclusionPromise": {
                "signedEntryTimestamp": _b64(self.signatures.sign(promise, _SHA256))
            },
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": _b64(root),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": {"envelope": f"{note}\n\u2014 rekor.example {signed_note}\n"},
            },
            "canonicalizedBody": _b64(text),
        }
        der = certificate.public_bytes(serialization.Encoding.DER)
        material = {"certificate": {"rawBytes": _b64(der)}, "tlogEntries": [entry]}
        return {"mediaType": BUNDLE, "verificationMaterial": material}


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
