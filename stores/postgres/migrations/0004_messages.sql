ALTER TABLE events
    ADD COLUMN role text NOT NULL DEFAULT '',
    ADD COLUMN message_id text NOT NULL DEFAULT '',
    ADD COLUMN reply_to text NOT NULL DEFAULT '',
    ADD COLUMN times text[] NOT NULL DEFAULT '{}',
    ADD COLUMN sources text[] NOT NULL DEFAULT '{}',
    ADD COLUMN people text[] NOT NULL DEFAULT '{}';
CREATE INDEX events_resting_on_messages ON events USING gin (sources) WHERE sources != '{}';
