ALTER TABLE events ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN reply_to TEXT NOT NULL DEFAULT '';
-- Resolved times, sources and people, as JSON lists.
ALTER TABLE events ADD COLUMN times TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN people TEXT NOT NULL DEFAULT '[]';
ALTER TABLE events ADD COLUMN worded_at REAL NOT NULL DEFAULT 0;
CREATE INDEX events_resting_on_messages ON events (row) WHERE sources != '[]';
-- What people said was kept as observations that begin with the speaker. Words and vectors stay as they are.
UPDATE events SET kind = 'message', role = 'user', source = 'message', said_by = user_id, gate_reasons = '[]', text = CASE
    WHEN user_name != '' AND substr(text, 1, length(user_name) + 2) = user_name || ': ' THEN substr(text, length(user_name) + 3)
    WHEN substr(text, 1, length(user_id) + 2) = user_id || ': ' THEN substr(text, length(user_id) + 3)
    WHEN substr(text, 1, 6) = 'user: ' THEN substr(text, 7)
    ELSE text END
WHERE source = 'observation' AND kind = 'fact';
-- So was what the bot said. What a tool returned has a call or an arrow before its first colon.
UPDATE events SET kind = 'message', role = 'assistant', source = 'message', gate_reasons = '[]',
    bot_name = substr(text, 1, instr(text, ': ') - 1), text = substr(text, instr(text, ': ') + 2)
WHERE source = 'observation' AND kind = 'action' AND instr(text, ': ') BETWEEN 2 AND 65 AND substr(text, 1, 6) != 'tool: '
    AND instr(substr(text, 1, instr(text, ': ')), '(') = 0 AND instr(substr(text, 1, instr(text, ': ')), '→') = 0;
UPDATE scopes SET removals = removals + 1;
