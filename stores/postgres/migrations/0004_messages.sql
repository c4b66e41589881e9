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
-- What people said was kept as observations that begin with the speaker. Words and vectors stay as they are.
UPDATE events SET kind = 'message', role = 'user', source = 'message', said_by = user_id, gate_reasons = '{}', text = CASE
    WHEN user_name != '' AND starts_with(text, user_name || ': ') THEN substr(text, length(user_name) + 3)
    WHEN starts_with(text, user_id || ': ') THEN substr(text, length(user_id) + 3)
    WHEN starts_with(text, 'user: ') THEN substr(text, 7)
    ELSE text END
WHERE source = 'observation' AND kind = 'fact';
-- So was what the bot said. What a tool returned has a call or an arrow before its first colon.
UPDATE events SET kind = 'message', role = 'assistant', source = 'message', gate_reasons = '{}',
    bot_name = left(text, strpos(text, ': ') - 1), text = substr(text, strpos(text, ': ') + 2)
WHERE source = 'observation' AND kind = 'action' AND strpos(text, ': ') BETWEEN 2 AND 65 AND NOT starts_with(text, 'tool: ')
    AND strpos(left(text, strpos(text, ': ')), '(') = 0 AND strpos(left(text, strpos(text, ': ')), '→') = 0;
UPDATE scopes SET removals = removals + 1;
