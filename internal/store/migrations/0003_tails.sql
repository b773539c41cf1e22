-- Ends of transcripts that may not be in their files yet; see session.Tail.
CREATE TABLE transcript_tails (
	seq     {{serial}},
	session TEXT NOT NULL,
	path    TEXT NOT NULL,
	pos     BIGINT NOT NULL,
	data    TEXT NOT NULL
);
