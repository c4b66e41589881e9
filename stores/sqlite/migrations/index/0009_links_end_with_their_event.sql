CREATE TRIGGER events_take_links AFTER DELETE ON events BEGIN
    UPDATE events
    SET superseded_by = old.superseded_by, superseded_at = CASE old.superseded_by WHEN '' THEN NULL ELSE superseded_at END
    WHERE superseded_by = old.event_id AND superseded_by != '';
    UPDATE events SET corrected_by = '' WHERE corrected_by = old.event_id AND corrected_by != '';
END;
