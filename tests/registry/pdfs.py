"""Small PDF files, written byte by byte: the same call always gives the same bytes.

`python -m registry.pdfs` (from `tests/`) writes `fixtures/pdf/` anew; a test verifies it.
"""

from __future__ import annotations

import hashlib
from typing import Final

from .tools import ROOT

FOLDER: Final = ROOT / "fixtures" / "pdf"
PAD: Final = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
FILE_ID: Final = b"0123456789abcdef"
TABLE: Final = (("Item", "Count", "Price"), ("Mug | blue", "2", "12.50"), ("Tea", "10", "3.20"))


def text(x: int, y: int, words: str) -> str:
    """A drawing command for one line of text."""
    safe = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F1 12 Tf {x} {y} Td ({safe}) Tj ET\n"


def grid(rows: tuple[tuple[str, ...], ...], left: int, top: int) -> str:
    """A table with lines around every cell."""
    width, height = 120, 24
    columns = len(rows[0])
    drawn = ""
    for row in range(len(rows) + 1):
        y = top - row * height
        drawn += f"{left} {y} m {left + columns * width} {y} l S\n"
    for column in range(columns + 1):
        x = left + column * width
        drawn += f"{x} {top} m {x} {top - len(rows) * height} l S\n"
    for r, cells in enumerate(rows):
        for c, cell in enumerate(cells):
            drawn += text(left + c * width + 6, top - r * height - 17, cell)
    return drawn


def rc4(key: bytes, data: bytes) -> bytes:
    """RC4, the cipher of the oldest PDF encryption."""
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


def md5(data: bytes) -> bytes:
    """MD5, which that encryption is made of."""
    return hashlib.md5(data, usedforsecurity=False).digest()


class Lock:
    """40-bit standard encryption (revision 2) with one password."""

    def __init__(self, password: bytes) -> None:
        padded = (password + PAD)[:32]
        self.owner = rc4(md5(padded)[:5], padded)
        rights = (-4).to_bytes(4, "little", signed=True)
        self.key = md5(padded + self.owner + rights + FILE_ID)[:5]
        self.user = rc4(self.key, PAD)

    def apply(self, number: int, data: bytes) -> bytes:
        """Encrypt the stream of one object."""
        return rc4(md5(self.key + number.to_bytes(3, "little") + b"\0\0")[:10], data)

    def dictionary(self) -> bytes:
        """The entry that says how it is encrypted."""
        owner, user = self.owner.hex().encode(), self.user.hex().encode()
        return b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + owner + b"> /U <" + user + b"> >>"


def pdf(pages: tuple[str, ...], *, image: bool = False, password: str | None = None) -> bytes:
    """A whole file with one content stream a page; object numbers follow from the order."""
    lock = Lock(password.encode()) if password is not None else None
    first_page = 5
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(len(pages)))
    picture = stream(4, b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 "
                     b"/ColorSpace /DeviceGray ", b"\0\xff\xff\0", lock)  # fmt: skip
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        picture,
    ]
    for n, page in enumerate(pages):
        number = first_page + 2 * n
        resources = "/Font << /F1 3 0 R >>" + (" /XObject << /I1 4 0 R >>" if image else "")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            f"/Resources << {resources} >> /Contents {number + 1} 0 R >>".encode()
        )
        objects.append(stream(number + 1, b"", page.encode("cp1252"), lock))
    if lock is not None:
        objects.append(lock.dictionary())
    return assembled(objects, encrypted=lock is not None)


def stream(number: int, head: bytes, data: bytes, lock: Lock | None) -> bytes:
    """A stream object."""
    body = lock.apply(number, data) if lock else data
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (head, len(body), body)


def assembled(objects: list[bytes], *, encrypted: bool) -> bytes:
    """The objects with their cross-reference table."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    extra = b"/Encrypt %d 0 R /ID [<%s> <%s>] " % (
        len(objects), FILE_ID.hex().encode(), FILE_ID.hex().encode()
    ) if encrypted else b""  # fmt: skip
    out += b"trailer\n<< /Size %d /Root 1 0 R %s>>\n" % (len(objects) + 1, extra)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def report() -> tuple[str, ...]:
    """Three pages: prose and a table, prose, prose."""
    first = text(72, 780, "Stock report") + text(72, 750, "All prices in euro.")
    first += grid(TABLE, 72, 700) + text(72, 560, "Counted by hand.")
    return first, text(72, 780, "Second page: caf\xe9"), text(72, 780, "Third page")


def files() -> dict[str, bytes]:
    """Every fixture by its name."""
    whole = pdf(report())
    scan = "q 595 0 0 842 0 0 cm /I1 Do Q\n"
    return {
        "table.pdf": whole,
        "encrypted.pdf": pdf(report(), password="open sesame"),
        "unlocked.pdf": pdf(report(), password=""),
        "scanned.pdf": pdf((scan, scan), image=True),
        "mixed.pdf": pdf((text(72, 780, "A cover"), scan), image=True),
        "drawn.pdf": pdf(("72 72 m 300 300 l S\n",)),
        "cut.pdf": whole[:700],
        "no-pages.pdf": pdf(()),
    }


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, data in files().items():
        (FOLDER / name).write_bytes(data)
