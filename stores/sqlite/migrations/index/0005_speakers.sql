-- The ids of those whose words are told in an event, as a JSON list, where these are several.
ALTER TABLE events ADD COLUMN speakers TEXT NOT NULL DEFAULT '[]';
CREATE INDEX events_of_several ON events (row) WHERE speakers != '[]';
