"""The tables of `state.db`; each entry is one migration and is never edited once released."""

from __future__ import annotations

from typing import Final

MIGRATIONS: Final = (
    """
    CREATE TABLE installs (
        name TEXT PRIMARY KEY,
        requested TEXT NOT NULL,
        registry_kind TEXT NOT NULL,
        registry_name TEXT NOT NULL,
        source TEXT NOT NULL,
        path TEXT NOT NULL,
        revision_kind TEXT NOT NULL,
        revision TEXT NOT NULL,
        ref TEXT NOT NULL,
        digest TEXT NOT NULL,
        git_tree TEXT NOT NULL,
        origin TEXT NOT NULL,
        package INTEGER NOT NULL,
        version TEXT NOT NULL,
        summary TEXT NOT NULL,
        owner TEXT NOT NULL,
        verdict TEXT NOT NULL,
        findings INTEGER NOT NULL,
        forced TEXT NOT NULL,
        installed_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE files (
        name TEXT NOT NULL REFERENCES installs(name) ON DELETE CASCADE,
        path TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL,
        mode TEXT NOT NULL,
        PRIMARY KEY (name, path)
    ) STRICT;
    CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        reason TEXT NOT NULL,
        record TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        action TEXT NOT NULL,
        name TEXT NOT NULL,
        detail TEXT NOT NULL
    ) STRICT;
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        action TEXT NOT NULL,
        name TEXT NOT NULL,
        stage TEXT NOT NULL,
        digest TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT;
    CREATE TABLE taps (
        name TEXT PRIMARY KEY,
        url TEXT NOT NULL,
        position INTEGER NOT NULL,
        commit_id TEXT NOT NULL,
        body BLOB NOT NULL,
        added_at TEXT NOT NULL,
        fetched_at TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE hubs (
        name TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        url TEXT NOT NULL,
        position INTEGER NOT NULL,
        added_at TEXT NOT NULL
    ) STRICT
    """,
    """
    ALTER TABLE installs ADD COLUMN accepted TEXT NOT NULL DEFAULT '[]'
    """,
    """
    DROP TABLE journal;
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        command TEXT NOT NULL,
        ready INTEGER NOT NULL,
        steps TEXT NOT NULL,
        effects TEXT NOT NULL,
        undoes INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE operations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        command TEXT NOT NULL,
        undoes INTEGER NOT NULL
    ) STRICT;
    ALTER TABLE history ADD COLUMN operation INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE history ADD COLUMN place TEXT NOT NULL DEFAULT '';
    ALTER TABLE history ADD COLUMN after_digest TEXT NOT NULL DEFAULT '';
    ALTER TABLE history ADD COLUMN after_record TEXT NOT NULL DEFAULT '';
    ALTER TABLE history ADD COLUMN shape TEXT NOT NULL DEFAULT 'folder';
    CREATE INDEX history_of_name ON history (name);
    CREATE INDEX history_of_operation ON history (operation);
    ALTER TABLE events ADD COLUMN chain TEXT NOT NULL DEFAULT ''
    """,
    """
    ALTER TABLE taps ADD COLUMN pins TEXT NOT NULL DEFAULT '{}'
    """,
    """
    CREATE TABLE reviews (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        by TEXT NOT NULL,
        at TEXT NOT NULL,
        UNIQUE (name, digest)
    ) STRICT;
    CREATE TABLE trusted (
        source TEXT PRIMARY KEY,
        by TEXT NOT NULL,
        at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE seen (
        source TEXT NOT NULL,
        revision TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (source, revision)
    ) STRICT
    """,
    """
    ALTER TABLE installs ADD COLUMN requirements TEXT NOT NULL DEFAULT '';
    ALTER TABLE installs ADD COLUMN installed_for TEXT NOT NULL DEFAULT ''
    """,
    """
    CREATE TABLE usage (
        name TEXT PRIMARY KEY,
        views INTEGER NOT NULL DEFAULT 0,
        uses INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        first_at TEXT NOT NULL,
        last_viewed_at TEXT NOT NULL DEFAULT '',
        last_used_at TEXT NOT NULL DEFAULT '',
        last_failed_at TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
)
