-- Credentials and models that rest after failures.
CREATE TABLE cooldowns (
	key    TEXT PRIMARY KEY,
	reason TEXT NOT NULL,
	until  BIGINT NOT NULL,
	count  BIGINT NOT NULL
);
