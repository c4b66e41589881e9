-- What bots give with what they hand over; `metadata` is a JSON object, `expires_at` in seconds since the epoch.
ALTER TABLE events
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
    ADD COLUMN metadata text NOT NULL DEFAULT '{}',
    ADD COLUMN expires_at double precision;
CREATE INDEX events_with_tags ON events USING gin (tags) WHERE tags != '{}';
CREATE INDEX events_with_metadata ON events (row) WHERE metadata != '{}';
CREATE INDEX events_that_expire ON events (expires_at) WHERE expires_at IS NOT NULL;
