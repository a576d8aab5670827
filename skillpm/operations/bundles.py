"""A Sigstore bundle over what is installed: where it lies, and whether it is about these files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from skillpm.edges import disk
from skillpm.edges.bundles import MAX_BUNDLE, Expected, verified
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Limits
from skillpm.edges.signing import UncheckableError
from skillpm.errors import IntegrityError, NotFoundError, SkillError
from skillpm.formats.address import parse_source
from skillpm.formats.intoto import PAYLOAD, promised_tree
from skillpm.model.address import Git, Local, Web
from skillpm.model.listing import Listing
from skillpm.model.provenance import Record
from skillpm.model.verification import Answer, Check
from skillpm.operations.fetching import policy_of
from skillpm.operations.workspace import Workspace
from skillpm.sources.lineage import text_of

ENDING: Final = ".sigstore.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """What must hold, beside files and source.

    Attributes:
        signed: a signature must cover the files.
        identity: who must have signed a Sigstore bundle over them; "" when nobody must.
        issuer: who vouched for that identity.
        bundle: the file that holds it; "" for the one that lies beside the source.
        trusted_root: a file with the keys of another Sigstore; "" for the public one's.
    """

    signed: bool = False
    identity: str = ""
    issuer: str = ""
    bundle: str = ""
    trusted_root: str = ""


def signed_by_identity(
    workspace: Workspace, record: Record, listing: Listing, asked: Asked
) -> Check:
    """Whether the expected identity signed the digest of what was installed."""
    try:
        bundle = _bundle(workspace, record, listing, asked)
        _check(workspace, record, bundle, asked)
    except SkillError as error:
        failed = isinstance(error, IntegrityError) and not isinstance(error, UncheckableError)
        answer = Answer.FAILED if failed else Answer.NOT_VERIFIABLE
        hint = f" ({error.hint})" if error.hint else ""
        return Check("signature", answer, f"{error.message}{hint}")
    who = f"{asked.identity} ({asked.issuer}) signed this digest"
    return Check("signature", Answer.VERIFIED, who)


def _check(workspace: Workspace, record: Record, bundle: bytes, asked: Asked) -> None:
    """Accept a statement about the recorded tree, or a signature over its digest as one line.

    Raises:
        IntegrityError: it is neither, or by somebody else.
        UncheckableError: it cannot be told here.
    """
    root = workspace.host.expand(asked.trusted_root) if asked.trusted_root else None
    expected = Expected(asked.identity, asked.issuer, root)
    signed = verified(bundle, expected, f"{record.digest}\n".encode())
    if not signed.kind:
        return
    if signed.kind != PAYLOAD:
        raise IntegrityError("the bundle signs something that is no in-toto statement")
    promised = promised_tree(signed.payload)
    if promised != record.digest:
        raise IntegrityError(f"the bundle is about other files: {promised}")


def _bundle(workspace: Workspace, record: Record, listing: Listing, asked: Asked) -> bytes:
    """The bundle that was given, or that lies beside what was installed.

    Raises:
        NotFoundError: there is none.
        SkillError: the source did not answer.
    """
    if asked.bundle:
        found = disk.read_file(workspace.host.expand(asked.bundle), MAX_BUNDLE)
    else:
        found = _beside(workspace, record, listing)
    if found is None:
        raise NotFoundError("there is no bundle beside it", hint="give one: --bundle FILE")
    return found


def _beside(workspace: Workspace, record: Record, listing: Listing) -> bytes | None:
    match parse_source(record.source):
        case Git(url) if record.path and record.revision.kind == "commit":
            remote = Remote(url, policy_of(listing))
            return text_of(workspace.git.open(remote, record.revision.value), record.path + ENDING)
        case Web(url):
            return workspace.http.get(url + ENDING, policy_of(listing), Limits(MAX_BUNDLE)).body
        case Local(path):
            return disk.read_file(workspace.host.expand(path.rstrip("/") + ENDING), MAX_BUNDLE)
    return None
