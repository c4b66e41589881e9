-- What bots give with what they hand over: tags as a JSON list, metadata as a JSON object, and when it expires (seconds since
-- the epoch).
ALTER TABLE events ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE events ADD COLUMN expires_at REAL;
CREATE INDEX events_with_tags ON events (row) WHERE tags != '[]';
CREATE INDEX events_with_metadata ON events (row) WHERE metadata != '{}';
CREATE INDEX events_that_expire ON events (expires_at) WHERE expires_at IS NOT NULL;
