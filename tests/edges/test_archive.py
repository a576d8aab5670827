"""Archives: what honest tools write is read; what two programs could read in two ways is not."""

from __future__ import annotations

import gzip
import io
import resource
import struct
import tarfile
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from support.archives import (
    GOOD,
    Entry,
    bomb,
    entries,
    hostile_tars,
    hostile_zips,
    odd_but_good,
    overlapping,
    tar_of,
    with_flags,
    zip_of,
)
from support.files import assert_same, tree_of

from skillpm.edges.archive import MAX_ENTRIES, is_archive, open_archive
from skillpm.errors import InvalidSkillError
from skillpm.model.tree import File, Tree

DEFLATED_ZERO_MEGABYTE = 1024 * 1024


def unpacked(data: bytes) -> Tree:
    """What an install makes of an archive: regular files only, every path and limit checked."""
    archive = open_archive(data)
    for node in archive.nodes:
        if node.kind != "file":
            raise InvalidSkillError(f"{node.path} is a {node.kind}")
    return Tree.of(File(n.path, archive.read(n), n.executable) for n in archive.nodes)


@pytest.mark.parametrize("data", [zip_of(GOOD, executable=["scripts/run.sh"]),
                                  tar_of(GOOD, executable=["scripts/run.sh"]),
                                  tar_of(GOOD, executable=["scripts/run.sh"],
                                  compress=False)])  # fmt: skip
def test_zip_and_tar_give_the_same_tree(data: bytes) -> None:
    files = [File(p, str(d).encode(), p == "scripts/run.sh") for p, d in GOOD.items()]
    assert unpacked(data).digest == Tree.of(files).digest
    assert is_archive(data)


@pytest.mark.parametrize("case", hostile_zips())
def test_a_hostile_zip_is_refused_and_nothing_outside_is_touched(case: str, tmp_path: Path) -> None:
    before = tree_of(tmp_path)
    with pytest.raises(InvalidSkillError) as caught:
        unpacked(hostile_zips()[case])
    assert caught.value.message.isprintable()
    assert_same(before, tree_of(tmp_path))
    assert not Path("/tmp/skillpm-evil.txt").exists()


HOSTILE_TARS = {k: v for k, v in hostile_tars().items() if k != "wrong checksum"}


@pytest.mark.parametrize("case", HOSTILE_TARS)
def test_a_hostile_tar_is_refused_and_nothing_outside_is_touched(case: str, tmp_path: Path) -> None:
    before = tree_of(tmp_path)
    with pytest.raises(InvalidSkillError) as caught:
        unpacked(HOSTILE_TARS[case])
    assert caught.value.message.isprintable()
    assert_same(before, tree_of(tmp_path))


@pytest.mark.parametrize(
    "case", ["wrapper folder", "folder entries", "setuid", "plain tar", "tar trailing data"]
)
def test_odd_archives_of_plain_files_are_read(case: str) -> None:
    tree = unpacked(odd_but_good()[case]())
    assert any(f.path.endswith("SKILL.md") for f in tree.files)
    assert {f.mode for f in tree.files} <= {"100644", "100755"}


@pytest.mark.parametrize("case", ["trailing data", "leading data", "two gzip members"])
def test_what_hides_data_before_or_behind_is_refused(case: str) -> None:
    with pytest.raises(InvalidSkillError):
        open_archive(odd_but_good()[case]())


@pytest.mark.parametrize(
    "data", [b"", b"P", b"PK", b"\x1f\x8b", b"# Markdown", b"\x89PNG\r\n\x1a\n", b"\0" * 1024,
    b"ustar"]
)  # fmt: skip
def test_bytes_that_are_no_archive_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidSkillError):
        open_archive(data)


def ten_gigabytes(kind: str) -> bytes:
    """An archive that says, or is, ten gigabytes of zeros, in ten megabytes or less."""
    if kind == "gzip":
        packer = zlib.compressobj(9, wbits=31)
        block = bytes(DEFLATED_ZERO_MEGABYTE)
        return b"".join([*(packer.compress(block) for _ in range(512)), packer.flush()]) * 20
    if kind == "tar header":
        info = tarfile.TarInfo("big")
        info.size = 10 * 2**30
        return gzip.compress(info.tobuf() + bytes(4_096))
    if kind == "many":
        return zip_of([Entry(f"f{n}", bytes(10 * 1024 * 1024)) for n in range(40)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        archive.writestr("SKILL.md", "x")
        archive.writestr("nested.zip", bomb(8))
    raw = out.getvalue()
    at = raw.rindex(b"PK\1\2")
    return raw[: at + 24] + struct.pack("<L", 0xFFFFFFF0) + raw[at + 28 :]


@pytest.mark.parametrize("kind", ["gzip", "tar header", "many", "zip header"])
def test_ten_gigabytes_are_refused_in_little_memory_and_time(kind: str) -> None:
    data = ten_gigabytes(kind)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(InvalidSkillError):
        unpacked(data)
    assert time.process_time() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_members_that_share_their_bytes_are_refused() -> None:
    with pytest.raises(InvalidSkillError, match="overlapping"):
        open_archive(overlapping(20_000, 1))


def test_an_archive_inside_an_archive_stays_a_file() -> None:
    inner = zip_of({"../evil": "x"})
    assert unpacked(zip_of([*entries(GOOD), Entry("inner.zip", inner)])).get("inner.zip")


def zip_with_name(raw: bytes) -> bytes:
    """A zip whose only member has exactly these bytes as its name."""
    data = zip_of([Entry("n" * len(raw), b"x")])
    return data.replace(b"n" * len(raw), raw)


@pytest.mark.parametrize(
    "raw", [b"a.md\0../../x", b"..\\..\\x", b"/etc/x", b"C:\\x", b"a/../../x", b"\0"]
)
def test_a_name_in_raw_bytes_is_judged_whole(raw: bytes) -> None:
    with pytest.raises(InvalidSkillError, match="unsafe path"):
        open_archive(zip_with_name(raw))


def test_a_zip_may_not_give_a_second_name_in_unicode() -> None:
    info = zipfile.ZipInfo("fine.md", (2024, 1, 1, 0, 0, 0))
    name = b"\x01" + struct.pack("<L", zlib.crc32(b"fine.md")) + b"../../evil.md"
    info.extra = struct.pack("<HH", 0x7075, len(name)) + name
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, b"x")
    try:
        nodes = open_archive(out.getvalue()).nodes
    except InvalidSkillError:
        return
    assert [node.path for node in nodes] == ["fine.md"]  # a Python that does not read that field


@pytest.mark.parametrize("flags", [0x1, 0x41, 0x2001])
def test_an_encrypted_zip_says_so(flags: int) -> None:
    with pytest.raises(InvalidSkillError, match=r"encrypted|damaged"):
        unpacked(with_flags(zip_of(GOOD), flags))


def polyglots() -> dict[str, bytes]:
    packed, tarred, plain = zip_of(GOOD), tar_of(GOOD), tar_of(GOOD, compress=False)
    evil = zip_of({"SKILL.md": "evil"})
    header = bytearray(plain)
    header[:2] = b"PK"
    return {
        "zip in a tar's tail": plain + packed,
        "zip behind a gzip": tarred + packed,
        "two zips": packed + evil,
        "two zips, the last one empty": packed + zip_of({}),
        "a zip in a zip's comment": packed[:-2] + struct.pack("<H", len(evil)) + evil,
        "gzip behind a gzip": tarred + tar_of({"SKILL.md": "evil"}),
        "a tar that begins as a zip": bytes(header),
        "tar behind a tar": plain + tar_of({"SKILL.md": "evil"}, compress=False),
        "a script before a zip": b"#!/bin/sh\nexit\n" + packed,
        "a gzip of a zip": gzip.compress(packed),
        "a gzip of a gzip": gzip.compress(tarred),
        "a PNG before a zip": b"\x89PNG\r\n\x1a\n" + packed,
    }


@pytest.mark.parametrize("case", polyglots())
def test_what_is_two_things_at_once_is_refused(case: str) -> None:
    with pytest.raises(InvalidSkillError):
        unpacked(polyglots()[case])


def tar_with_header(kind: bytes, body: bytes, size: int | None = None) -> bytes:
    """A tar of one extended header with any body, before a plain file."""
    info = tarfile.TarInfo("extended")
    info.type, info.size = kind, len(body) if size is None else size
    padded = body + bytes(-len(body) % 512)
    return info.tobuf(tarfile.GNU_FORMAT) + padded + tar_of(GOOD, compress=False)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE])
def test_a_pax_header_of_digits_does_not_hang_us(kind: bytes) -> None:
    """CVE-2024-6232: the library searches such a header in quadratic time."""
    start = time.process_time()
    with pytest.raises(InvalidSkillError, match="extended headers"):
        open_archive(tar_with_header(kind, b"1" * 2_000_000))
    assert time.process_time() - start < 2


def test_global_records_by_the_thousand_are_not_copied_into_every_member() -> None:
    pax = {f"key{n}": "x" for n in range(5_000)}
    with pytest.raises(InvalidSkillError, match="extended headers"):
        open_archive(tar_of([Entry(f"f{n}", pax={"comment": "c"}) for n in range(50)], pax=pax))


def test_the_global_record_of_git_archive_is_fine() -> None:
    assert unpacked(tar_of(GOOD, pax={"comment": "0123456789abcdef" * 2 + "01234567"}))


@pytest.mark.parametrize("kind", [b"0", b"L", b"K", b"x", b"g", b"S"])
@pytest.mark.parametrize("size", [-1, -512, -1024, 2**60])
def test_a_size_that_cannot_be_does_not_hang_us(kind: bytes, size: int) -> None:
    """CVE-2025-8194: a negative size leads the library back to where it was."""
    start = time.process_time()
    with pytest.raises(InvalidSkillError):
        unpacked(tar_with_header(kind, b"", size))
    assert time.process_time() - start < 2


def test_extended_headers_inside_each_other_do_not_hang_us() -> None:
    header = tar_with_header(tarfile.XHDTYPE, b"9 path=x\n")[:1024]
    with pytest.raises(InvalidSkillError):
        unpacked(header * 3_000)


def test_a_header_with_a_wrong_checksum_is_no_header() -> None:
    plain = tar_of(GOOD, compress=False)
    broken = plain[:148] + b"7777777" + plain[155:]
    with pytest.raises(InvalidSkillError, match="damaged"):
        open_archive(broken)


def test_the_number_of_entries_is_capped() -> None:
    many = tar_of([Entry(f"f{n}") for n in range(MAX_ENTRIES + 1)])
    with pytest.raises(InvalidSkillError, match="entries"):
        open_archive(many)


@pytest.mark.parametrize("data", [zip_of(GOOD), tar_of(GOOD)], ids=["zip", "tar"])
def test_a_cut_at_any_point_is_refused(data: bytes) -> None:
    for end in range(0, len(data), max(1, len(data) // 120)):
        with pytest.raises(InvalidSkillError):
            unpacked(data[:end])


@pytest.mark.parametrize("data", [zip_of(GOOD), tar_of(GOOD)], ids=["zip", "tar"])
def test_a_flipped_bit_changes_no_content_unseen(data: bytes) -> None:
    good = unpacked(data)
    for at in range(len(data)):
        try:
            tree = unpacked(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        except InvalidSkillError:
            continue
        contents = {f.data for f in tree.files}
        assert contents == {f.data for f in good.files}
