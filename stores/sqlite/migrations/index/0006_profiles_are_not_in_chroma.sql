DROP TABLE profile_outbox;
