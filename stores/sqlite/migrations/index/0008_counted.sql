-- So that counting them reads none of the others.
CREATE INDEX events_not_absolute ON events (row) WHERE is_absolute = 0;
