-- As in a data directory: the entity (user:42) is the key, and a request is JSON.
ALTER TABLE forget_requests ADD COLUMN entity text, ADD COLUMN body text;
UPDATE forget_requests SET entity = entity_type || ':' || entity_id, body = jsonb_build_object(
    'entity', jsonb_build_object('type', entity_type, 'id', entity_id), 'until', until, 'mentions', mentions, 'stage', stage,
    'last_rows', to_jsonb(last_rows), 'texts', '[]'::jsonb, 'names', '[]'::jsonb, 'job_ids', '[]'::jsonb, 'moments', '[]'::jsonb
)::text;
ALTER TABLE forget_requests DROP COLUMN entity_type, DROP COLUMN entity_id, DROP COLUMN until, DROP COLUMN mentions,
    DROP COLUMN stage, DROP COLUMN last_rows, ALTER COLUMN body SET NOT NULL, ADD PRIMARY KEY (entity);
ALTER TABLE forget_known ADD COLUMN entity text;
UPDATE forget_known SET entity = entity_type || ':' || entity_id;
ALTER TABLE forget_known DROP COLUMN entity_type, DROP COLUMN entity_id, ALTER COLUMN entity SET NOT NULL;
ALTER TABLE forget_reports ADD COLUMN entity text;
UPDATE forget_reports SET entity = entity_type || ':' || entity_id;
ALTER TABLE forget_reports DROP COLUMN entity_type, DROP COLUMN entity_id, ADD PRIMARY KEY (entity);
