#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["pdfplumber>=0.11"]
# ///
"""Extract the text and the tables of a PDF as plain text, Markdown or JSON.

Exit statuses:
  0  done
  1  some of the pages could not be read; the rest was printed and each is named
  2  wrong usage (no such file, page range that makes no sense)
  3  not a PDF, or damaged beyond reading
  4  encrypted: needs a password, or the password is wrong
  5  no text on the pages asked for: scanned or drawn, needs OCR
  6  the library pdfplumber is missing
  7  over a limit (size, pages, time, memory)
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import os
import re
import signal
import sys
import unicodedata
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DONE, SOME, USAGE, DAMAGED, ENCRYPTED, NO_TEXT, MISSING, LIMIT = range(8)
RANGE = re.compile(r"([0-9]{1,7})?(-)?([0-9]{1,7})?")
MISSING_TEXT = """pdfplumber is not installed. Either of these provides it:
  uv run {script} FILE.pdf        (reads the requirement from the script)
  python3 -m pip install "pdfplumber>=0.11"   (best inside a virtual environment)"""


class PdfError(Exception):
    """Something the caller has to hear, with the exit status that says it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TimeIsUpError(BaseException):
    """The time limit is over; not an Exception, so that no library swallows it."""


@dataclasses.dataclass(frozen=True)
class Page:
    """What one page says. `prose` is its text without the tables."""

    number: int
    text: str = ""
    prose: str = ""
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()
    images: int = 0
    error: str = ""


# --- reading ------------------------------------------------------------------------------


def library() -> Any:
    """The pdfplumber module.

    Raises:
        PdfError: MISSING, with the ways to get it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pdfplumber
    except ImportError as error:
        script = Path(sys.argv[0]).name
        raise PdfError(MISSING, MISSING_TEXT.format(script=script)) from error
    return pdfplumber


def check_file(path: Path, limit: int) -> None:
    """Refuse what can't be a PDF before a parser sees it."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise PdfError(USAGE, f"{path} is not a file")
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise PdfError(USAGE, f"cannot open {path}: {error.strerror}") from error
    if size > limit:
        raise PdfError(LIMIT, f"{path} has {size} bytes, the limit is {limit} (--max-bytes)")
    if b"%PDF-" not in head:
        what = "empty" if size == 0 else "not a PDF: it does not start like one"
        raise PdfError(DAMAGED, f"{path} is {what}")


@contextlib.contextmanager
def opened(path: Path, password: str) -> Iterator[Any]:
    """The parsed document.

    Raises:
        PdfError: ENCRYPTED or DAMAGED.
    """
    plumber = library()
    logging.disable(logging.CRITICAL)  # the parser grumbles about every odd object
    warnings.simplefilter("ignore")
    try:
        document = plumber.open(path, password=password)
    except (Exception, RecursionError) as error:
        raise translated(error, path, password=password) from error
    try:
        if not document.pages:
            raise PdfError(DAMAGED, f"{path} is damaged: it has no pages")
        yield document
    except (MemoryError, PdfError):
        raise
    except (Exception, RecursionError) as error:
        raise translated(error, path, password=password) from error
    finally:
        with contextlib.suppress(Exception):  # closing walks the pages once more
            document.close()


def translated(error: Exception, path: Path, *, password: str) -> PdfError:
    """The parser's error in our words."""
    chain: list[BaseException] = [
        error,
        *(part for part in error.args if isinstance(part, BaseException)),
    ]
    chain += [part for part in (error.__cause__, error.__context__) if part is not None]
    names = {type(part).__name__ for part in chain}
    if "PDFPasswordIncorrect" in names:
        say = "the password is wrong" if password else "it is encrypted (see --password-stdin)"
        return PdfError(ENCRYPTED, f"{path} can't be opened: {say}")
    if "PDFEncryptionError" in names:
        return PdfError(ENCRYPTED, f"{path} is encrypted in a way that is not supported")
    if "MemoryError" in names:
        return PdfError(LIMIT, f"{path} needs more memory than allowed (--max-memory)")
    return PdfError(
        DAMAGED, f"{path} is damaged: {clean(str(error))[:200] or type(error).__name__}"
    )


def read_page(document: Any, number: int) -> Page:
    """Read one page; a page that can't be read is a result too."""
    try:
        page = document.pages[number - 1]
        found = page.find_tables()
        tables = tuple(as_rows(table.extract()) for table in found)
        boxes = [table.bbox for table in found]
        prose = page.filter(lambda item: not inside(item, boxes)) if boxes else page
        text = clean(page.extract_text() or "")
        result = Page(
            number=number,
            text=text,
            prose=clean(prose.extract_text() or "") if boxes else text,
            tables=tuple(table for table in tables if any(any(row) for row in table)),
            images=len(page.images),
        )
        page.close()
    except MemoryError:
        raise
    except (Exception, RecursionError) as error:
        return Page(number=number, error=clean(f"{type(error).__name__}: {error}")[:200])
    return result


def inside(item: dict[str, Any], boxes: Sequence[tuple[float, float, float, float]]) -> bool:
    """Whether the middle of a page object lies in one of the boxes."""
    x = (item["x0"] + item["x1"]) / 2
    y = (item["top"] + item["bottom"]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def as_rows(table: Sequence[Sequence[str | None]]) -> tuple[tuple[str, ...], ...]:
    """A table with an empty text for each empty cell."""
    return tuple(tuple(clean(cell or "") for cell in row) for row in table)


def page_numbers(wanted: str, count: int) -> list[int]:
    """The pages a range such as `1-3,7,12-` means, each once, in the order asked.

    Raises:
        PdfError: USAGE, for a range that is none or lies outside the document.
    """
    numbers: dict[int, None] = {}
    for part in wanted.replace(" ", "").split(","):
        match = RANGE.fullmatch(part)
        if match is None or not (match[1] or match[3]):
            raise PdfError(USAGE, f"--pages: {clean(part)!r} is not a range such as 2, 2-5 or 7-")
        first = int(match[1] or 1)
        last = int(match[3] or (count if match[2] else first))
        if not 1 <= first <= last <= count:
            raise PdfError(USAGE, f"--pages: {part} is outside this document of {count} pages")
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return list(numbers)


def clean(text: str) -> str:
    """Spell out control and invisible characters, which a document has no honest use for."""
    return "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text.replace("\r\n", "\n").replace("\u00ad", "")
    )


# --- showing ------------------------------------------------------------------------------


def as_text(pages: Sequence[Page]) -> str:
    """The text, a form feed between pages as pdftotext does it."""
    return "\n\f".join(page.text for page in pages) + "\n"


def as_markdown(pages: Sequence[Page]) -> str:
    """A heading a page, its prose, then its tables."""
    parts: list[str] = []
    for page in pages:
        parts.append(f"## Page {page.number}")
        if page.error:
            parts.append(f"*This page could not be read: {page.error}*")
        if page.prose.strip():
            parts.append(page.prose.strip())
        parts += [markdown_table(table) for table in page.tables]
        if page.images and not page.text.strip():
            parts.append(f"*No text; {page.images} image(s).*")
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first row is the head; every row gets the same width."""
    width = max(len(row) for row in table)
    rows = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row] for row in table]
    rows = [[re.sub(r"\s*\n\s*", " ", cell).strip() for cell in row] for row in rows]
    rows = [row + [""] * (width - len(row)) for row in rows]
    rows.insert(1, ["---"] * width)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def as_json(pages: Sequence[Page], path: Path, count: int) -> str:
    """Everything, for a program."""
    shown = [
        {
            "page": page.number,
            "text": page.text,
            "tables": page.tables,
            "images": page.images,
            "error": page.error or None,
        }
        for page in pages
    ]
    data = {"schema": 1, "file": path.name, "page_count": count, "pages": shown}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def only_tables(page: Page) -> Page:
    """The page without its text."""
    return dataclasses.replace(page, text="", prose="")


def emit(text: str, output: Path | None) -> None:
    """Print, or write a new file in one step; an existing file is not overwritten."""
    data = text.encode("utf-8", "backslashreplace")
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    try:
        with output.open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise PdfError(USAGE, f"{output} exists; choose another name or move it away") from error
    except OSError as error:
        raise PdfError(USAGE, f"cannot write {output}: {error.strerror}") from error


# --- limits -------------------------------------------------------------------------------


def time_is_up(_number: int, _frame: object) -> NoReturn:
    """End the reading when the timer rings."""
    raise TimeIsUpError


def set_limits(seconds: float, megabytes: int) -> None:
    """Bound time and memory: a PDF can ask for more of both than there is."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = megabytes * 1024 * 1024
        if hard in (resource.RLIM_INFINITY, -1) or wanted < hard:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


# --- the command line ---------------------------------------------------------------------


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = argparse.ArgumentParser(
        prog="extract.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", type=Path, metavar="FILE.pdf")
    made.add_argument("--pages", default="", help="such as 1-3,7,12- (all)")
    made.add_argument("--format", choices=("text", "markdown", "json"), default="markdown")
    made.add_argument("--tables-only", action="store_true", help="leave the prose out")
    made.add_argument("--output", type=Path, help="new file to write instead of printing")
    made.add_argument("--password-stdin", action="store_true", help="read it from standard input")
    made.add_argument("--max-bytes", type=int, default=200 * 1024 * 1024, help="of the file")
    made.add_argument("--max-pages", type=int, default=500, help="read at once (500)")
    made.add_argument("--max-memory", type=int, default=4096, help="megabytes (4096)")
    made.add_argument("--time-limit", type=float, default=120.0, help="seconds (120)")
    options = made.parse_args(words)
    if min(options.max_bytes, options.max_pages, options.max_memory, options.time_limit) <= 0:
        made.error("limits must be above zero")
    if options.tables_only and options.format == "text":
        made.error("--tables-only goes with markdown or json")
    return options


def read(options: argparse.Namespace, password: str) -> tuple[list[Page], int]:
    """The wanted pages and how many the document has."""
    with opened(options.file, password) as document:
        count = len(document.pages)
        numbers = page_numbers(options.pages or f"1-{count}", count)
        if len(numbers) > options.max_pages:
            raise PdfError(
                LIMIT,
                f"{len(numbers)} pages, the limit is {options.max_pages}: read parts with --pages",
            )
        return [read_page(document, number) for number in numbers], count


def verdict(pages: Sequence[Page], path: Path, *, tables_only: bool) -> int:
    """The exit status the pages deserve, said on standard error where it isn't 0.

    Raises:
        PdfError: when there is nothing to show at all.
    """
    broken = [page for page in pages if page.error]
    if len(broken) == len(pages):
        raise PdfError(DAMAGED, f"{path} is damaged: no page can be read ({broken[0].error})")
    if not broken and not any(page.text.strip() for page in pages):
        images = sum(page.images for page in pages)
        kind = (
            f"{images} image(s): probably scanned, read it with OCR" if images else "drawn or empty"
        )
        raise PdfError(NO_TEXT, f"{path} has no text on these pages; {kind}")
    if tables_only and not any(page.tables for page in pages):
        print("no tables were found on these pages", file=sys.stderr)
    for page in broken:
        print(f"page {page.number} could not be read: {page.error}", file=sys.stderr)
    silent = [page.number for page in pages if page.images and not page.text.strip()]
    if silent:
        print(f"no text but images on page(s) {silent}: they may need OCR", file=sys.stderr)
    return SOME if broken else DONE


def run(options: argparse.Namespace) -> int:
    """Check, read, judge, show."""
    password = sys.stdin.readline().rstrip("\r\n") if options.password_stdin else ""
    check_file(options.file, options.max_bytes)
    library()
    set_limits(options.time_limit, options.max_memory)
    pages, count = read(options, password)
    status = verdict(pages, options.file, tables_only=options.tables_only)
    if options.tables_only:
        pages = [only_tables(page) for page in pages]
    if options.format == "json":
        emit(as_json(pages, options.file, count), options.output)
    else:
        emit(as_text(pages) if options.format == "text" else as_markdown(pages), options.output)
    return status


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    try:
        return run(options)
    except PdfError as error:
        print(clean(str(error)), file=sys.stderr)
        return error.status
    except TimeIsUpError:
        print(f"not done after {options.time_limit:g} s: try fewer --pages", file=sys.stderr)
        return LIMIT
    except MemoryError:
        print("out of memory (--max-memory): try fewer --pages", file=sys.stderr)
        return LIMIT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
