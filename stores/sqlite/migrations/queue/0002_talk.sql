-- Messages that wait, in the order in which they were accepted.
CREATE INDEX jobs_talk ON jobs (position) WHERE kind = 'talk' AND state = 'pending';
