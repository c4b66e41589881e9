"""The assistant's articles as Markdown files that people may read and edit, with revisions.

    chapters/{id}.md                 front matter {user_id, scope, revision, updated_at, sources}, then three tagged chapters
    chapters/history/{id}/…          earlier revisions, byte for byte, as those of the profiles

Writers compare and swap. A write keeps the old file in the history, replaces it, then notes what it took in in the ledger;
a process killed in between has written whole files or none, and what it took in is then seen in the files.

A file whose chapters somebody broke by hand is passed over: the newest revision in the history that can be read stands in
for it, and the broken file goes into the history with the next write.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import yaml

from ...schema.article import CHAPTER_NAMES, Article
from ...schema.errors import InvalidInput, RevisionConflict
from ...schema.protocols import Ledger
from ...schema.scope import Scope
from ...schema.summary import ArticleKey, Forgotten, Restored, StoredArticle
from ...text.articles.markup import format_article, parse_article
from .article_files import ARTICLE_LEDGER, bytes_of, is_of_scope, is_of_user, key_from, layer_stem, names_in, stored_layer_keys
from .durable import remove_durably, storage_error, sweep_leftovers, sync_folder, write_atomically
from .entity_locks import EntityLocks
from .front_matter import one_line, split_front_matter
from .profile_files import SUFFIX, snapshot_name, snapshots

log = logging.getLogger(__name__)

_MAX_REVISION_DIGITS = 9


class MarkdownArticles:
    """An `ArticleStorage` in a folder. The last `revision_keep` earlier revisions are kept (0: none).

    Safe to use from several threads and processes at once; reading waits for nobody.
    """

    def __init__(self, folder: Path, *, ledger: Ledger, revision_keep: int = 5) -> None:
        self._folder = folder
        self._ledger = ledger
        self._keep = revision_keep
        self._locks = EntityLocks(folder / ".locks")

    def read(self, key: ArticleKey) -> StoredArticle | None:
        """Raises StorageError where the file is there and cannot be opened."""
        path = self._path(key)
        data = bytes_of(path)
        if data is None:
            return None
        kept = snapshots(self._history_folder(key))
        revision = kept[0].revision + 1 if kept else 1
        try:
            return parse_stored(data, key, revision=revision)
        except InvalidInput as error:
            log.warning("%s: %s The newest revision of its history that can be read stands in for it", path, error)
        fields, _ = split_front_matter(data.decode("utf-8", errors="replace"))
        last = next(self._earlier(key), None)
        article = last.article if last is not None else Article()
        return StoredArticle(key, article, _revision(fields) or revision, sources=_sources(fields))

    def write(
        self,
        key: ArticleKey,
        article: Article,
        *,
        expected_revision: int,
        sources: Sequence[str],
        now: str,
        forgotten: Forgotten,
    ) -> StoredArticle | None:
        """As the protocol says. Raises StorageError."""
        with self._locked(key):
            if forgotten():
                return None
            current = self.read(key)
            if sources and self._taken_in(key, sources, current) == set(sources):
                return current or StoredArticle(key)
            found = current.revision if current else 0
            if found != expected_revision:
                raise RevisionConflict(
                    f"article of {key}: revision {found} is stored, expected {expected_revision}; read it again and begin anew"
                )
            return self._swap(key, article, current, sources, now)

    def taken_in(self, key: ArticleKey, sources: Sequence[str]) -> set[str]:
        return self._taken_in(key, sources, self.read(key))

    def history(self, key: ArticleKey) -> list[StoredArticle]:
        current = self.read(key)
        # A process killed between keeping the old file and writing the new one leaves the current one there too.
        return [one for one in self._earlier(key) if current is None or one.revision < current.revision]

    def rollback(self, key: ArticleKey, revision: int, *, now: str, job_id: str = "") -> StoredArticle:
        source = f"rollback:{revision}:{job_id}" if job_id else f"rollback:{revision}"
        with self._locked(key):
            current = self.read(key)
            if job_id and self._taken_in(key, [source], current):
                return current or StoredArticle(key)
            kept = {one.revision: one for one in self.history(key)}
            if revision not in kept:
                known = ", ".join(map(str, sorted(kept, reverse=True))) or "none"
                raise InvalidInput(f"revision: the article of {key} has no earlier revision {revision}; kept are {known}")
            return self._swap(key, kept[revision].article, current, [source], now)

    def kept(self, key: ArticleKey) -> list[StoredArticle]:
        current = self.read(key)
        return [*([current] if current else []), *self.history(key)]

    def lines(self, key: ArticleKey) -> list[str]:
        paths = [self._path(key), *(snapshot.path for snapshot in snapshots(self._history_folder(key)))]
        return list(dict.fromkeys(line for path in paths for line in _lines_in(path, key)))

    def without_lines(self, key: ArticleKey, unwanted: Callable[[str], bool], *, now: str) -> int:
        """As the protocol says. Raises StorageError."""
        with self._locked(key):
            current = self.read(key)
            gone = sum(map(unwanted, _lines_in(self._path(key), key)))
            for source in {source for one in (*([current] if current else []), *self._earlier(key)) for source in one.sources}:
                self._ledger.add(_ledger_key(key), source)  # the files that say so may be about to go
            if current is not None and gone:
                chapters = {
                    name: "\n".join(line for line in current.article.chapter(name).splitlines() if not unwanted(line))
                    for name in CHAPTER_NAMES
                }
                self._swap(key, current.article.with_chapters(chapters), current, ["forget"], now)
            for snapshot in snapshots(self._history_folder(key)):
                if any(map(unwanted, _lines_in(snapshot.path, key))):
                    remove_durably(snapshot.path)
        return gone

    def restore(self, revisions: Sequence[StoredArticle]) -> Restored:
        """As the protocol says. Raises StorageError."""
        newest = revisions[-1]
        key = newest.key
        with self._locked(key):
            current = self.read(key)
            if current is not None:
                return "same" if current.article == newest.article else "different"
            for earlier in revisions[:-1][-self._keep :] if self._keep else ():
                name = snapshot_name(earlier.revision, earlier.updated_at)
                write_atomically(self._history_folder(key) / name, render_stored(earlier).encode())
            for source in (source for one in revisions for source in one.sources):
                self._ledger.add(_ledger_key(key), source)
            # Last, so that a restoring that was cut short is done again.
            write_atomically(self._path(key), render_stored(newest).encode())
        return "restored"

    def keys(self) -> list[ArticleKey]:
        return list(stored_layer_keys(self._folder, SUFFIX, _key_inside))

    def delete(self, user_id: str) -> int:
        """As the protocol says. The ledger keeps what was taken in, so that no rerun of an old job brings it back."""
        return sum(map(self._remove, (stem for stem in self._stems() if is_of_user(stem, user_id))))

    def delete_scope(self, scope: Scope) -> int:
        return sum(map(self._remove, (stem for stem in self._stems() if is_of_scope(stem, scope))))

    def sweep(self) -> int:
        history = self._folder / "history"
        folders = [path for path in history.iterdir() if path.is_dir()] if history.is_dir() else []
        return sum(map(sweep_leftovers, (self._folder, *folders)))

    def _stems(self) -> list[str]:
        """The names of what is stored, and of histories that a deletion that was cut short has left."""
        names = names_in(self._folder)
        current = [name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX) and name[0] != "."]
        return list(dict.fromkeys([*current, *names_in(self._folder / "history")]))

    def _remove(self, stem: str) -> int:
        with self._locks.of(stem, f"article {stem}"):
            removed = remove_durably(self._folder / (stem + SUFFIX))
            folder = self._folder / "history" / stem
            kept = names_in(folder)
            for name in kept:
                remove_durably(folder / name)
            if folder.is_dir():
                try:
                    folder.rmdir()
                except OSError as error:
                    raise storage_error("remove", folder, error) from error
                sync_folder(folder.parent)
        return int(removed or bool(kept))

    def _locked(self, key: ArticleKey) -> AbstractContextManager[None]:
        return self._locks.of(layer_stem(key), f"article of {key}")

    def _swap(
        self, key: ArticleKey, article: Article, current: StoredArticle | None, sources: Sequence[str], now: str
    ) -> StoredArticle:
        """Keep the current file, write the new one, note what it took in. The caller holds the lock."""
        written = StoredArticle(key, article, (current.revision if current else 0) + 1, now, tuple(map(one_line, sources)))
        data = bytes_of(self._path(key))
        if current is not None and data is not None and self._keep > 0:
            name = snapshot_name(current.revision, current.updated_at)
            write_atomically(self._history_folder(key) / name, data)
        write_atomically(self._path(key), render_stored(written).encode())
        for source in written.sources:
            self._ledger.add(_ledger_key(key), source)
        for snapshot in snapshots(self._history_folder(key))[self._keep :]:
            remove_durably(snapshot.path)
        return written

    def _taken_in(self, key: ArticleKey, sources: Sequence[str], current: StoredArticle | None) -> set[str]:
        found = {source for source in sources if self._ledger.has(_ledger_key(key), source)}
        missing = set(sources) - found
        if not missing:
            return found
        # Killed between the file and the ledger: the files know, and the ledger is told.
        written = {source for one in (*((current,) if current else ()), *self._earlier(key)) for source in one.sources}
        for source in sorted(missing & written):
            self._ledger.add(_ledger_key(key), source)
        return found | (missing & written)

    def _earlier(self, key: ArticleKey) -> Iterator[StoredArticle]:
        """What the history holds and can be read, newest first."""
        for snapshot in snapshots(self._history_folder(key)):
            data = bytes_of(snapshot.path)
            if data is None:
                continue
            try:
                yield parse_stored(data, key, revision=snapshot.revision)
            except InvalidInput as error:
                log.info("%s is passed over: %s", snapshot.path, error)

    def _path(self, key: ArticleKey) -> Path:
        return self._folder / (layer_stem(key) + SUFFIX)

    def _history_folder(self, key: ArticleKey) -> Path:
        return self._folder / "history" / layer_stem(key)


def render_stored(stored: StoredArticle) -> str:
    """The text of an article's file."""
    fields = {
        "user_id": stored.key.user_id,
        "scope": stored.key.scope.key,
        "revision": stored.revision,
        "updated_at": stored.updated_at,
        "sources": list(stored.sources),
    }
    head = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=1_000_000)
    return f"---\n{head}---\n\n{format_article(stored.article)}"


def parse_stored(data: bytes, key: ArticleKey, *, revision: int) -> StoredArticle:
    """The article in a file; `revision` is taken where the front matter has none. Raises InvalidInput, see `parse_article`."""
    fields, body = split_front_matter(data.decode("utf-8", errors="replace"))
    updated_at = fields.get("updated_at")
    return StoredArticle(
        key,
        parse_article(body),
        _revision(fields) or revision,
        one_line(updated_at) if isinstance(updated_at, str) else "",
        _sources(fields),
    )


def _lines_in(path: Path, key: ArticleKey) -> list[str]:
    """The lines of an article's file that hold anything; as they stand there, where its chapters cannot be read."""
    data = bytes_of(path) or b""
    try:
        article = parse_stored(data, key, revision=0).article
    except InvalidInput:
        _, body = split_front_matter(data.decode("utf-8", errors="replace"))
        tags = {tag for name in CHAPTER_NAMES for tag in (f"<{name}>", f"</{name}>")}
        return [line for line in body.splitlines() if line.strip() and line.strip() not in tags]
    return [line for name in CHAPTER_NAMES for line in article.lines(name)]


def _key_inside(path: Path) -> ArticleKey | None:
    fields, _ = split_front_matter((bytes_of(path) or b"").decode("utf-8", errors="replace"))
    return key_from(fields.get("user_id"), fields.get("scope"))


def _ledger_key(key: ArticleKey) -> str:
    return ARTICLE_LEDGER + layer_stem(key)


def _revision(fields: dict[str, Any]) -> int:
    value = fields.get("revision")
    plain = isinstance(value, str) and value.isdecimal() and len(value) <= _MAX_REVISION_DIGITS
    return int(value) if plain and isinstance(value, str) else 0


def _sources(fields: dict[str, Any]) -> tuple[str, ...]:
    value = fields.get("sources")
    return tuple(one_line(one) for one in value if isinstance(one, str)) if isinstance(value, list) else ()
