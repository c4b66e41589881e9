ALTER TABLE events ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN reply_to TEXT NOT NULL DEFAULT '';
-- Resolved times, sources and people, as JSON lists.
ALTER TABLE events ADD COLUMN times TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN people TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN worded_at REAL NOT NULL DEFAULT 0;
CREATE INDEX events_resting_on_messages ON events (row) WHERE sources != '[]';
