"""What a tap may change from one look to the next: pure rules over two indexes and what is held.

A new index is taken as a whole or not at all. A name whose source changed does not spoil it: the
source that was known stays in force for that name until a command of the user's decides.
"""

from __future__ import annotations

from dataclasses import replace

from skillpm.errors import IntegrityError
from skillpm.formats.address import parse_source
from skillpm.formats.index import Index
from skillpm.model.address import Git, Source
from skillpm.model.listing import Listing
from skillpm.model.pins import LARGEST_STEP, Known, Pins
from skillpm.model.text import safe


def advanced(tap: str, pins: Pins, old: Index | None, new: Index) -> Pins:
    """What is held of a tap after its new index was taken.

    Args:
        tap: its short name.
        pins: what is held of it.
        old: the index that is in force; None when there is none.
        new: the one that its commit has now.

    Raises:
        IntegrityError: the new index may not be taken; the old one stays in force.
    """
    _check_version(tap, pins, old, new)
    revived = _check_revived(tap, pins, new)
    known = dict(pins.known)
    for listing in new.listings:
        held = known.get(listing.name)
        if held is None or same_place(listing.source, held.source):
            known[listing.name] = Known(str(listing.source), listing.digest)
    retired = {name: why for name, why in pins.retired.items() if name not in revived}
    return replace(
        pins,
        version=new.version,
        expires=new.expires,
        known=known,
        retired=retired | dict(new.retired),
    )


def applied(pins: Pins, index: Index) -> Index:
    """An index with what is held: moved names say where they were, names taken out stay out."""
    listings = tuple(_as_known(pins, listing) for listing in index.listings)
    return replace(index, listings=listings, retired={**pins.retired, **index.retired})


def same_place(source: Source, known: str) -> bool:
    """Whether a source is the known one; another branch or tag of a repository is."""
    if str(source) == known:
        return True
    held = parse_source(known)
    if not isinstance(source, Git) or not isinstance(held, Git):
        return False
    unclear = source.tail or held.tail or source.pick or held.pick
    return not unclear and (source.url, source.path) == (held.url, held.path)


def _as_known(pins: Pins, listing: Listing) -> Listing:
    held = pins.known.get(listing.name)
    if held is None or same_place(listing.source, held.source):
        return listing
    return replace(listing, was=held.source)


def _check_version(tap: str, pins: Pins, old: Index | None, new: Index) -> None:
    held, offered = pins.version, new.version
    hint = f"if you trust it: skill tap reset {tap}"
    if held is None:
        return
    if offered is None or offered < held:
        said = "none any more" if offered is None else str(offered)
        raise IntegrityError(
            f"its index goes back: version {held} was read before, now it has {said}", hint=hint
        )
    if offered - held > LARGEST_STEP:
        raise IntegrityError(
            f"its index jumps from version {held} to {offered}: nothing could follow that",
            hint=hint,
        )
    if offered == held and old is not None and not _same(old, new):
        raise IntegrityError(
            f"its index has other entries under the version {held} that was read before",
            hint=f"tell its keeper that each change needs a higher version; {hint}",
        )


def _check_revived(tap: str, pins: Pins, new: Index) -> frozenset[str]:
    """The names that were taken out and stand again at the source they had.

    Raises:
        IntegrityError: one stands at another source.
    """
    back = [listing for listing in new.listings if listing.name in pins.retired]
    for listing in back:
        held = pins.known.get(listing.name)
        if held is None or not same_place(listing.source, held.source):
            was = f", before it was {safe(held.source)}" if held else ""
            raise IntegrityError(
                f"it took {listing.name} out, and now gives the name to another source:"
                f" {safe(str(listing.source))}{was}",
                hint=f"if you trust it: skill tap reset {tap}",
            )
    return frozenset(listing.name for listing in back)


def _same(old: Index, new: Index) -> bool:
    return _timeless(old) == _timeless(new)


def _timeless(index: Index) -> Index:
    listings = tuple(replace(listing, commit="") for listing in index.listings)
    return replace(index, listings=listings, problems=())
