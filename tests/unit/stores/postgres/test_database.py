"""What the connections to a PostgreSQL schema promise: migrations, errors that name the remedy, and no password in them."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psycopg
import pytest
from historian.schema.errors import DatabaseAway, HistorianError, InvalidInput, StorageError
from historian.stores.migrations import migrations
from historian.stores.postgres import database as module
from historian.stores.postgres.database import PostgresDatabase
from historian.stores.postgres.errors import explained
from support.postgres import Schema, fresh_schema, server_url
from support.waiting import eventually_now

SECRET = "s3cr3t/?pass"
SCRIPTS = migrations("postgres/migrations", VECTOR_TYPE="vector")


@pytest.fixture
def url() -> str:
    return server_url()


@pytest.fixture
def database(url: str) -> Iterator[PostgresDatabase]:
    opened = PostgresDatabase(url, schema_name=fresh_schema(), pool_max=4)
    yield opened
    opened.close()


def terminate_others(url: str) -> None:
    """End all other sessions of the server, as a restart of it does, and wait until they have ended."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid != pg_backend_pid() AND usename != ''"
        )


def test_a_transaction_is_whole_or_not_at_all(database: PostgresDatabase) -> None:
    with pytest.raises(RuntimeError), database.writing() as transaction:
        transaction.execute("INSERT INTO meta (name, value) VALUES ('a', 'b')")
        raise RuntimeError
    assert database.row("SELECT value FROM meta") is None
    with database.writing(durable=False) as transaction:
        transaction.executemany(
            "INSERT INTO meta (name, value) VALUES (%s, %s)", [("a", "1"), ("b", "2")]
        )
    with database.reading() as transaction:
        assert transaction.rows("SELECT * FROM meta ORDER BY name") == [("a", "1"), ("b", "2")]
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(database.run, "DELETE FROM meta").result() == 2
        assert transaction.row("SELECT count(*) FROM meta") == (2,), (
            "all statements see the same state"
        )
    assert database.rows("SELECT * FROM meta") == []


def test_what_a_thread_does_inside_of_its_transaction_is_part_of_it(url: str) -> None:
    alone = PostgresDatabase(url, schema_name=fresh_schema(), pool_max=1, wait_seconds=0.1)
    with pytest.raises(RuntimeError), alone.writing():
        alone.run("INSERT INTO meta (name, value) VALUES ('a', 'b')")
        with alone.reading() as inner:
            assert (
                inner.row("SELECT value FROM meta") == alone.row("SELECT value FROM meta") == ("b",)
            )
        raise RuntimeError
    assert alone.rows("SELECT * FROM meta") == []
    with (
        alone.reading(),
        ThreadPoolExecutor(1) as thread,
        pytest.raises(DatabaseAway, match="pool_max"),
    ):
        thread.submit(alone.row, "SELECT 1").result()
    alone.close()


def test_nul_is_left_out_of_text_and_a_lone_surrogate_is_refused(
    database: PostgresDatabase,
) -> None:
    database.run("INSERT INTO meta (name, value) VALUES (%s, %s)", ("a\0b", "\0"))
    assert database.rows("SELECT * FROM meta") == [("ab", "")]
    with pytest.raises(InvalidInput, match="surrogate"):
        database.run("INSERT INTO meta (name, value) VALUES (%s, %s)", ("x", "half a \ud83d"))


@pytest.mark.parametrize("kind", ["float32", "half"])
def test_vectors_come_back_as_arrays(url: str, kind: module.VectorKind) -> None:
    opened = PostgresDatabase(url, schema_name=fresh_schema(), vectors=kind)
    vector = np.array([0.5, -0.25, 1.0], dtype=np.float32)
    opened.run("INSERT INTO event_vectors (sequence, row, vector) VALUES (1, 1, %s)", (vector,))
    ((found,),) = opened.rows("SELECT vector FROM event_vectors")
    np.testing.assert_array_equal(found, vector)
    assert found.dtype == np.float32
    opened.close()


def test_a_schema_of_another_type_of_vectors_or_of_a_newer_version_is_refused_with_the_remedy(
    url: str, database: PostgresDatabase
) -> None:
    with pytest.raises(StorageError, match=r"stores\.vectors = 'float32'"):
        PostgresDatabase(url, schema_name=database.schema, vectors="half")
    database.run("INSERT INTO migrations (number) VALUES (%s)", (len(SCRIPTS) + 1,))
    with pytest.raises(StorageError, match=r"newer version.*upgrade"):
        PostgresDatabase(url, schema_name=database.schema)


def test_an_older_schema_is_brought_up_to_date(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = fresh_schema()
    monkeypatch.setattr(module, "migrations", lambda *_, **__: SCRIPTS[:1])
    older = PostgresDatabase(url, schema_name=schema)
    older.run("INSERT INTO meta (name, value) VALUES ('kept', '1')")
    older.close()
    monkeypatch.setattr(
        module, "migrations", lambda *_, **__: [*SCRIPTS[:1], "CREATE TABLE later (n integer)"]
    )
    newer = PostgresDatabase(url, schema_name=schema)
    assert newer.row("SELECT value FROM meta") == ("1",) and newer.rows("SELECT * FROM later") == []
    newer.close()


def test_many_that_open_a_new_schema_at_once_migrate_it_once(url: str) -> None:
    schema = fresh_schema()
    with ThreadPoolExecutor(4) as threads:
        opened = list(
            threads.map(lambda _: PostgresDatabase(url, schema_name=schema, pool_max=1), range(4))
        )
    assert opened[0].row("SELECT count(*) FROM migrations") == (len(SCRIPTS),)
    for one in opened:
        one.close()


def with_password(url: str) -> str:
    return url.replace("postgres:@", "nobody:s3cr3t%2F%3Fpass@")


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "no server": (lambda _: "postgresql://me:s3cr3t%2F%3Fpass@127.0.0.1:1/x", "server runs"),
    "no address": (
        lambda _: "postgresql//me:s3cr3t%2F%3Fpass@127.0.0.1:1 x",
        "postgresql://user:password@host",
    ),
    "no such option": (
        lambda _: "postgresql://me:s3cr3t%2F%3Fpass@127.0.0.1/x?nothing=s3cr3t%2F%3Fpass",
        "write it like",
    ),
    "no such role": (with_password, "create the role"),
    "no such database": (lambda url: url.replace("/postgres?", "/nothing?"), "createdb"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_address_that_leads_nowhere_is_told_with_the_remedy_and_without_the_password(
    url: str, wrong: str
) -> None:
    made, remedy = WRONG[wrong]
    with pytest.raises(HistorianError, match=remedy) as caught:
        PostgresDatabase(made(url), schema_name=fresh_schema())
    told = "".join(traceback.format_exception(caught.value))
    assert SECRET not in told and "s3cr3t" not in told


def test_a_server_without_pgvector_and_a_user_without_the_right_to_create_it_are_told_the_remedy(
    url: str,
) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS bare")
        connection.execute("CREATE DATABASE bare")
        connection.execute("DROP ROLE IF EXISTS modest")
        connection.execute("CREATE ROLE modest LOGIN")
        connection.execute("GRANT CREATE ON DATABASE bare TO modest")
    bare = url.replace("/postgres?", "/bare?").replace("postgres:@", "modest@")
    with pytest.raises(
        StorageError, match=r"let a superuser run `CREATE EXTENSION vector`|grant it to this user"
    ):
        PostgresDatabase(bare)
    missing = psycopg.errors.FeatureNotSupported('extension "vector" is not available')
    assert "install pgvector" in str(explained(missing, "x"))


def test_a_server_or_an_extension_that_is_too_old_is_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = psycopg.errors.UndefinedObject('type "halfvec" does not exist LINE 1: SELECT')
    assert "ALTER EXTENSION vector UPDATE" in str(explained(old, "x"))
    monkeypatch.setattr(module, "_OLDEST_SERVER", 990_000)
    with pytest.raises(StorageError, match="version 99 or newer"):
        PostgresDatabase(url, schema_name=fresh_schema())


def test_connections_that_died_with_the_server_are_replaced(
    url: str, database: PostgresDatabase
) -> None:
    barrier = threading.Barrier(3)

    def use(_: int) -> None:
        with database.reading() as transaction:
            transaction.row("SELECT 1")
            barrier.wait(10)

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(use, range(3)))
    terminate_others(url)
    assert database.row("SELECT 1") == (1,)
    terminate_others(url)
    with database.writing() as transaction:
        assert transaction.row("SELECT 2") == (2,)


def test_a_transaction_whose_connection_dies_is_an_error_that_is_told(
    url: str, database: PostgresDatabase
) -> None:
    told: list[bool] = []
    database.when_in_trouble = lambda: told.append(True)
    with (
        pytest.raises(DatabaseAway, match="server runs and can be reached"),
        database.writing() as transaction,
    ):
        transaction.execute("INSERT INTO meta (name, value) VALUES ('lost', '1')")
        terminate_others(url)
        transaction.execute("SELECT 1")
    assert told
    assert database.rows("SELECT * FROM meta") == []


def test_a_closed_database_and_a_name_that_is_no_schema_are_refused(
    url: str, database: PostgresDatabase
) -> None:
    database.close()
    database.close()
    with pytest.raises(StorageError, match="already closed"):
        database.row("SELECT 1")
    with pytest.raises(InvalidInput, match=r"stores\.schema_name"):
        PostgresDatabase(url, schema_name="a; DROP TABLE events")


def test_who_is_suspended_in_a_transaction_holds_up_nobody_and_is_told_that_nothing_was_written(
    schema: Schema,
) -> None:
    suspended, other = schema.open(silence_seconds=0.1), schema.open()

    def is_free() -> bool:
        with other.writing() as transaction:
            return transaction.row(
                "SELECT pg_try_advisory_xact_lock(%s)", (other.lock_key("x"),)
            ) == (True,)

    with pytest.raises(DatabaseAway, match="was suspended"), suspended.writing() as transaction:
        transaction.execute("INSERT INTO meta VALUES ('x', 'y')")
        transaction.lock(suspended.lock_key("x"))
        assert not is_free()
        assert eventually_now(is_free)
        transaction.execute("SELECT 1")
    assert other.rows("SELECT 1 FROM meta WHERE name = 'x'") == []
    suspended.run("INSERT INTO meta VALUES ('x', 'z')")
