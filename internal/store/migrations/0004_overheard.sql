-- What was said in rooms beside the agent since it last answered there.
CREATE TABLE overheard (
	seq    {{serial}},
	room   TEXT NOT NULL,
	sender TEXT NOT NULL,
	text   TEXT NOT NULL,
	at     BIGINT NOT NULL
);
CREATE INDEX overheard_room ON overheard (room, seq);
