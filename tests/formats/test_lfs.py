"""A pointer of Git LFS is told from a text that speaks of one."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.formats.lfs import is_pointer

OID = b"4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + OID + b"\nsize 12345\n"


@pytest.mark.parametrize(
    "data",
    [
        POINTER, POINTER.rstrip(b"\n"), POINTER.replace(b"\n", b"\r\n"),
        POINTER.replace(b"https://git-lfs", b"https://hawser"),
        POINTER.replace(b"\noid", b"\next-0-foo sha256:" + OID + b"\noid"),
    ],
)  # fmt: skip
def test_a_pointer_is_one(data: bytes) -> None:
    assert is_pointer(data)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"version 1\n", b"# LFS\n\n" + POINTER, POINTER + b"x" * 1024, POINTER[:60],
        POINTER.replace(b"size", b"sise"), POINTER.replace(b"oid", b"old"),
        POINTER.replace(b"git-lfs.github.com", b"git-lfs.github.com.evil"),
        b"---\nname: a\n---\n```\n" + POINTER + b"```\n", b" " + POINTER,
    ],
)  # fmt: skip
def test_what_is_no_pointer_is_none(data: bytes) -> None:
    assert not is_pointer(data)


@given(st.binary(max_size=2_000))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    assert is_pointer(data) in (True, False)
    assert not is_pointer(b"x" + data)
