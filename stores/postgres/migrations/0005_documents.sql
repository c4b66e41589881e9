-- The content of new revisions is JSON; what begins with `---` is Markdown of a former version, and is read as that.
COMMENT ON COLUMN documents.content IS 'JSON; Markdown with front matter where a former version wrote it';
ALTER TABLE summaries ALTER COLUMN created_at TYPE double precision USING extract(epoch FROM created_at);
