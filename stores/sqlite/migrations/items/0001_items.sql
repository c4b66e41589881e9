-- AUTOINCREMENT: the row of a removed item is never that of another one, which a search under way would take for it.
CREATE TABLE items (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    ttl_seconds REAL,
    expires_at REAL,
    UNIQUE (namespace, key)
);
CREATE INDEX items_by_time ON items (namespace, updated_at, expires_at);
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE item_vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    row INTEGER NOT NULL,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL
);
CREATE INDEX item_vectors_by_row ON item_vectors (row);
CREATE INDEX item_vectors_by_model ON item_vectors (model, dimension, id, row);
CREATE TABLE item_changes (number INTEGER NOT NULL);
INSERT INTO item_changes VALUES (0);
CREATE VIRTUAL TABLE item_words USING fts5(places, words, tokenize = "TOKENIZER");
