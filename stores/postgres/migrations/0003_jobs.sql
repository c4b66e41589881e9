-- Accepted jobs. `position` orders them; `body` is the job as it was handed over, and the columns say what became of it since.
-- A job of `patient` talk stands in no line before its `not_before`. It may run when it heads all of its lines.
CREATE SEQUENCE positions;
CREATE TABLE jobs (
    job_id text PRIMARY KEY,
    position bigint NOT NULL DEFAULT nextval('positions') UNIQUE,
    kind text NOT NULL,
    scope_key text NOT NULL,
    entities text[] NOT NULL,
    body text NOT NULL,
    accepted_at double precision NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    patient boolean NOT NULL,
    attempts integer NOT NULL,
    not_before double precision NOT NULL,
    last_error text NOT NULL,
    lines integer NOT NULL,
    heads integer NOT NULL DEFAULT 0,
    worker bigint,
    failed_at double precision,
    filed boolean
) WITH (fillfactor = 80);
CREATE INDEX jobs_ready ON jobs (position) WHERE state = 'pending' AND heads = lines AND NOT patient;
CREATE INDEX jobs_patient ON jobs (not_before) WHERE patient;
CREATE INDEX jobs_by_worker ON jobs (worker) WHERE state = 'processing';
CREATE INDEX jobs_by_scope ON jobs (scope_key, position);
CREATE INDEX jobs_by_state ON jobs (state, position);

-- One row for each job and entity that it holds: the lines in which jobs wait. Whoever changes a line holds its lock.
CREATE TABLE job_lines (
    entity text NOT NULL,
    position bigint NOT NULL,
    job_id text NOT NULL,
    head boolean NOT NULL,
    PRIMARY KEY (entity, position)
);
CREATE INDEX job_lines_by_job ON job_lines (job_id);
CREATE UNIQUE INDEX job_lines_heads ON job_lines (entity) WHERE head;
-- Rows come and go: the dead ones are cleared away by their number, not by a share of a table that is empty most of the time.
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE job_lines SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE scopes SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- A worker's number is that of the session to which its claims belong, and never used again.
CREATE SEQUENCE worker_numbers;
-- Workers that found nothing to do and listen. Rows of dead ones cost a notification, no more.
CREATE TABLE idle_workers (worker bigint PRIMARY KEY);
-- Who does what only one process may do; true as long as that process holds the lock `owner`.
CREATE TABLE owner (
    one boolean PRIMARY KEY DEFAULT TRUE CHECK (one),
    pid integer NOT NULL,
    host text NOT NULL,
    started_at text NOT NULL,
    command text NOT NULL,
    worker boolean NOT NULL
);

-- Locks lines until the end of the transaction. Always before rows of `jobs`, in one order for all.
CREATE FUNCTION lock_lines(names text[]) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT DISTINCT name FROM unnest(names) name ORDER BY name LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended('line ' || one, hashtext(current_schema())));
    END LOOP;
END $$;

-- Puts a job into its lines, behind older ones and behind one that runs. The lines are locked.
CREATE FUNCTION enter_lines(entering text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    mine jobs;
    name text;
    first job_lines;
    leads boolean;
    led integer := 0;
BEGIN
    SELECT * INTO mine FROM jobs WHERE job_id = entering FOR UPDATE;
    FOREACH name IN ARRAY mine.entities LOOP
        SELECT * INTO first FROM job_lines WHERE entity = name AND head;
        leads := NOT FOUND;
        IF FOUND AND first.position > mine.position THEN
            UPDATE jobs SET heads = heads - 1 WHERE job_id = first.job_id AND state = 'pending';
            IF FOUND THEN
                UPDATE job_lines SET head = FALSE WHERE entity = name AND head;
                leads := TRUE;
            END IF;
        END IF;
        INSERT INTO job_lines VALUES (name, mine.position, entering, leads);
        led := led + leads::integer;
    END LOOP;
    UPDATE jobs SET heads = led, lines = cardinality(entities), patient = FALSE WHERE job_id = entering;
END $$;

-- Takes a job out of its lines; the next of each line heads it. The lines are locked.
CREATE FUNCTION leave_lines(leaving text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    gone job_lines;
    next job_lines;
    led text[] := '{}';
BEGIN
    FOR gone IN DELETE FROM job_lines WHERE job_id = leaving RETURNING * LOOP
        CONTINUE WHEN NOT gone.head;
        SELECT * INTO next FROM job_lines WHERE entity = gone.entity ORDER BY position LIMIT 1;
        CONTINUE WHEN NOT FOUND;
        UPDATE job_lines SET head = TRUE WHERE entity = next.entity AND position = next.position;
        led := led || next.job_id;
    END LOOP;
    PERFORM 1 FROM jobs WHERE job_id = ANY(led) ORDER BY job_id FOR UPDATE;
    UPDATE jobs SET heads = heads + counted.n FROM (SELECT id, count(*) AS n FROM unnest(led) id GROUP BY id) counted
    WHERE job_id = counted.id;
END $$;

-- Accepts a job, and tells idle workers; FALSE if it waits, runs, has failed, or is filed already.
CREATE FUNCTION put_job(
    put_id text, put_kind text, put_scope text, put_entities text[], put_body text, put_at double precision,
    put_attempts integer, put_not_before double precision, put_error text, put_patient boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM filed_jobs WHERE job_id = put_id) THEN
        RETURN FALSE;
    END IF;
    IF NOT put_patient THEN
        PERFORM lock_lines(put_entities);
    END IF;
    INSERT INTO jobs (
        job_id, kind, scope_key, entities, body, accepted_at, patient, attempts, not_before, last_error, lines
    ) VALUES (
        put_id, put_kind, put_scope, put_entities, put_body, put_at, put_patient, put_attempts, put_not_before, put_error,
        cardinality(put_entities)
    ) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    IF NOT put_patient THEN
        PERFORM enter_lines(put_id);
        PERFORM wake_workers();
    END IF;
    RETURN TRUE;
END $$;

-- Tells idle workers that there is something to do. Not when none is idle: notifications make commits wait for each other.
CREATE FUNCTION wake_workers() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM idle_workers) THEN
        PERFORM pg_notify(current_schema() || '_jobs', '');
    END IF;
END $$;

-- Gives the oldest job that may run to a worker, after talk that is due has joined its lines.
CREATE FUNCTION claim_job(claimer bigint, at double precision) RETURNS SETOF jobs
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    due text[];
    one text;
BEGIN
    SELECT array_agg(d.job_id) INTO due
    FROM (SELECT job_id FROM jobs WHERE patient AND not_before <= at ORDER BY not_before LIMIT 64) d;
    IF due IS NOT NULL THEN
        PERFORM lock_lines(ARRAY(SELECT unnest(entities) FROM jobs WHERE job_id = ANY(due)));
        FOR one IN SELECT job_id FROM jobs WHERE job_id = ANY(due) AND patient ORDER BY job_id FOR UPDATE LOOP
            PERFORM enter_lines(one);
        END LOOP;
    END IF;
    RETURN QUERY UPDATE jobs SET state = 'processing', worker = claimer WHERE job_id = (
        SELECT job_id FROM jobs WHERE state = 'pending' AND heads = lines AND NOT patient AND not_before <= at
        ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *;
END $$;

-- What becomes of a job that a worker has claimed: `done`, `pending` or `failed`. FALSE if the worker does not hold it.
CREATE FUNCTION settle_job(
    settled text, claimer bigint, becomes text, more_attempts integer, shown text, until double precision, was_filed boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    mine jobs;
BEGIN
    SELECT * INTO mine FROM jobs WHERE job_id = settled AND state = 'processing' AND worker = claimer;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    PERFORM lock_lines(mine.entities);
    PERFORM leave_lines(settled);
    IF becomes = 'done' THEN
        DELETE FROM jobs WHERE job_id = settled;
        RETURN TRUE;
    END IF;
    UPDATE jobs SET state = becomes, worker = NULL, attempts = attempts + more_attempts,
        last_error = coalesce(shown, last_error),
        not_before = CASE becomes WHEN 'pending' THEN coalesce(until, not_before) ELSE not_before END,
        failed_at = CASE becomes WHEN 'failed' THEN until END, filed = was_filed
    WHERE job_id = settled;
    IF becomes = 'pending' THEN
        PERFORM enter_lines(settled);
    END IF;
    RETURN TRUE;
END $$;

-- Removes a job that nobody has claimed; FALSE if somebody has.
CREATE FUNCTION remove_job(removed text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM lock_lines(entities) FROM jobs WHERE job_id = removed;
    PERFORM 1 FROM jobs WHERE job_id = removed AND state != 'processing' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    PERFORM leave_lines(removed);
    DELETE FROM jobs WHERE job_id = removed;
    RETURN TRUE;
END $$;

-- Returns a failed job to the queue as it was at first.
CREATE FUNCTION retry_job(retried text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM lock_lines(entities) FROM jobs WHERE job_id = retried;
    UPDATE jobs SET state = 'pending', attempts = 0, not_before = 0, last_error = '', failed_at = NULL, filed = NULL
    WHERE job_id = retried AND state = 'failed';
    IF FOUND THEN
        PERFORM enter_lines(retried);
        PERFORM wake_workers();
        RETURN TRUE;
    END IF;
    RETURN FALSE;
END $$;
