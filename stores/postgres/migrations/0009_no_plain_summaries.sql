-- Plain summaries are a file of each machine, the only place where they are read.
DROP TABLE plain_summaries;
