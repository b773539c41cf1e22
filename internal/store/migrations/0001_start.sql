CREATE TABLE inbox (
	seq    {{serial}},
	key    TEXT NOT NULL UNIQUE,
	body   TEXT NOT NULL,
	stored BIGINT NOT NULL,
	tries  BIGINT NOT NULL DEFAULT 0,
	done   BIGINT NOT NULL DEFAULT 0,
	result TEXT NOT NULL DEFAULT '',
	reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX inbox_open ON inbox (seq) WHERE done = 0;
CREATE INDEX inbox_poisoned ON inbox (seq) WHERE reason <> '';

CREATE TABLE outbox (
	seq     {{serial}},
	id      TEXT NOT NULL UNIQUE,
	channel TEXT NOT NULL,
	account TEXT NOT NULL,
	peer    TEXT NOT NULL,
	state   TEXT NOT NULL,
	body    TEXT NOT NULL,
	tries   BIGINT NOT NULL DEFAULT 0,
	stored  BIGINT NOT NULL,
	next    BIGINT NOT NULL DEFAULT 0,
	reason  TEXT NOT NULL DEFAULT '',
	receipt TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_open ON outbox (channel, account, peer, seq) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_failed ON outbox (seq) WHERE state = 'failed';

CREATE TABLE sessions (
	key        TEXT PRIMARY KEY,
	agent      TEXT NOT NULL,
	id         TEXT NOT NULL,
	updated    BIGINT NOT NULL,
	label      TEXT NOT NULL DEFAULT '',
	spawned_by TEXT NOT NULL DEFAULT '',
	search     TEXT NOT NULL DEFAULT '',
	entry      TEXT NOT NULL
);
CREATE INDEX sessions_agent ON sessions (agent, updated);
CREATE INDEX sessions_id ON sessions (id);

CREATE TABLE channel_state (
	channel TEXT NOT NULL,
	account TEXT NOT NULL,
	key     TEXT NOT NULL,
	value   TEXT NOT NULL,
	PRIMARY KEY (channel, account, key)
);

CREATE TABLE system_events (
	seq  {{serial}},
	key  TEXT NOT NULL,
	text TEXT NOT NULL,
	at   BIGINT NOT NULL
);
CREATE INDEX system_events_key ON system_events (key, seq);

CREATE TABLE pairings (
	channel TEXT NOT NULL,
	account TEXT NOT NULL,
	peer    TEXT NOT NULL,
	code    TEXT NOT NULL,
	created BIGINT NOT NULL,
	seen    BIGINT NOT NULL,
	meta    TEXT NOT NULL DEFAULT '{}',
	PRIMARY KEY (channel, account, peer)
);

CREATE TABLE allowed (
	channel TEXT NOT NULL,
	account TEXT NOT NULL,
	peer    TEXT NOT NULL,
	added   BIGINT NOT NULL,
	PRIMARY KEY (channel, account, peer)
);

-- Things kept as the JSON that OpenClaw's files hold: devices, nodes, jobs.
CREATE TABLE records (
	kind TEXT NOT NULL,
	id   TEXT NOT NULL,
	pos  BIGINT NOT NULL DEFAULT 0,
	body TEXT NOT NULL,
	PRIMARY KEY (kind, id)
);

-- What we last wrote to a file that is projected from the database, and what
-- stood there before: a crash can leave either.
CREATE TABLE files (
	path    TEXT PRIMARY KEY,
	hash    TEXT NOT NULL,
	prev    TEXT NOT NULL DEFAULT '',
	size    BIGINT NOT NULL,
	mtime   BIGINT NOT NULL,
	written BIGINT NOT NULL
);

CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
);
