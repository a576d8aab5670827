"""The one door for Sigstore, an optional extra: is a bundle a good signature by this identity?

Nothing is asked of a network: the keys of the log and of the authority are those that came with the
installed `sigstore` library, or those of a file. Library: <https://sigstore.github.io/sigstore-python/>,
bundles: <https://docs.sigstore.dev/about/bundle/>.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skillpm.edges.signing import UncheckableError
from skillpm.errors import IntegrityError
from skillpm.formats import json
from skillpm.model.text import safe

EXTRA: Final = "skillpm-cli[sigstore]"
MAX_BUNDLE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Expected:
    """Who must have signed.

    Attributes:
        identity: a mail address, or the URI of a workflow.
        issuer: the URL of who vouched for that identity.
        trusted_root: a file with the keys of another log and authority; None for the library's.
    """

    identity: str
    issuer: str
    trusted_root: Path | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """What a good bundle signs: a statement with its type, or, when there is none, the bytes."""

    kind: str = ""
    payload: bytes = b""


def verified(bundle: bytes, expected: Expected, artifact: bytes) -> Signed:
    """What a bundle signs, when it is a good signature by the expected identity.

    Args:
        bundle: JSON.
        expected: who must have signed.
        artifact: what must be signed when it is no statement.

    Raises:
        UncheckableError: the extra is not installed, or has no keys to check with.
        IntegrityError: it is no bundle, or not a good signature, or by somebody else.
    """
    try:
        value = json.load(bundle, limit=MAX_BUNDLE)
    except json.JsonError as error:
        raise IntegrityError(f"the bundle is not JSON: {error}") from None
    library = _library()
    verifier = _verifier(library, expected)
    who = library.policy.Identity(identity=expected.identity, issuer=expected.issuer)
    try:
        read = library.models.Bundle.from_json(bundle)
        if isinstance(value, dict) and "dsseEnvelope" in value:
            return Signed(*verifier.verify_dsse(read, who))
        verifier.verify_artifact(artifact, read, who)
    except Exception as error:  # noqa: BLE001 - its parsers raise whatever theirs do; all mean no
        reason = safe(" ".join(str(error).split()) or type(error).__name__, 300)
        raise IntegrityError(f"the bundle is not a good signature: {reason}") from None
    return Signed()


@dataclass(frozen=True, slots=True)
class _Library:
    models: Any
    policy: Any
    verify: Any


def _library() -> _Library:
    try:
        from sigstore import models, verify
        from sigstore.verify import policy
    except ImportError:
        raise UncheckableError(
            "Sigstore bundles need an extra that is not installed",
            hint=f"pip install '{EXTRA}'",
        ) from None
    logging.getLogger("sigstore").setLevel(logging.CRITICAL)  # what it logs stands in its errors
    return _Library(models, policy, verify)


def _verifier(library: _Library, expected: Expected) -> Any:
    try:
        if expected.trusted_root is None:
            return library.verify.Verifier.production(offline=True)
        root = library.models.TrustedRoot.from_file(str(expected.trusted_root))
        return library.verify.Verifier(trusted_root=root)
    except Exception as error:  # noqa: BLE001 - as above; without keys nothing can be told
        reason = safe(" ".join(str(error).split()) or type(error).__name__, 300)
        raise UncheckableError(f"there are no keys to check bundles with: {reason}") from None
