ALTER TABLE events ADD COLUMN bot_name TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN version TEXT NOT NULL DEFAULT '';
-- The run that made a revision; '' for one that was imported.
ALTER TABLE event_revisions ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE INDEX event_revisions_by_run ON event_revisions (run);
-- How far each run is that writes events anew: `last_row` is the last one that it has seen.
CREATE TABLE reprocessing_runs (
    run TEXT PRIMARY KEY,
    started REAL NOT NULL,
    last_row INTEGER NOT NULL DEFAULT -1,
    seen INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0,
    gained INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
