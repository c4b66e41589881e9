ALTER TABLE events
    ADD COLUMN role text NOT NULL DEFAULT '',
    ADD COLUMN message_id text NOT NULL DEFAULT '',
    ADD COLUMN reply_to text NOT NULL DEFAULT '',
    ADD COLUMN times text[] NOT NULL DEFAULT '{}',
    ADD COLUMN sources text[] NOT NULL DEFAULT '{}',
    ADD COLUMN people text[] NOT NULL DEFAULT '{}',
    ADD COLUMN worded_at double precision NOT NULL DEFAULT 0;
-- Messages that wait, in the order in which they were accepted.
CREATE INDEX jobs_talk ON jobs (position) WHERE kind = 'talk' AND state = 'pending';
CREATE INDEX events_resting_on_messages ON events USING gin (sources) WHERE sources != '{}';
