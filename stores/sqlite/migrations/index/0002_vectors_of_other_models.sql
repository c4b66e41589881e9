-- Vectors of another model than the fingerprint's: being made (next), or of the model before (kept). In the form of
-- event_vectors, since the tables change names with it. `sequence` is the row number in what `next` was made as.
CREATE TABLE next_event_vectors (sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE kept_event_vectors (sequence INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE other_profile_vectors (
    role TEXT NOT NULL, item_id TEXT NOT NULL, revision INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (role, item_id)
);
