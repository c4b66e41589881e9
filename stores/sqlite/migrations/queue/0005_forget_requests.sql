-- Who is to be forgotten (JSON), what was found of them so far (JSON in base64), and the answers until they are read.
CREATE TABLE forget_requests (entity TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE forget_known (number INTEGER PRIMARY KEY, entity TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE forget_reports (entity TEXT PRIMARY KEY, report TEXT NOT NULL);
