-- The queue's messages: the table of maragu.dev/goqite v0.4.0, whose texts of
-- time are in UTC. A message holds the id of its job.
CREATE TABLE goqite (
  id       TEXT    PRIMARY KEY DEFAULT ('m_' || lower(hex(randomblob(16)))),
  created  TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
  updated  TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
  queue    TEXT    NOT NULL,
  body     BLOB    NOT NULL,
  timeout  TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')), -- not received again before
  received INTEGER NOT NULL DEFAULT 0,
  priority INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER goqite_updated_timestamp AFTER UPDATE ON goqite BEGIN
  UPDATE goqite SET updated = strftime('%Y-%m-%dT%H:%M:%fZ') WHERE id = old.id;
END;

CREATE INDEX goqite_queue_priority_created_idx ON goqite (queue, priority DESC, created);

-- The latest piece of work of each kind that is done for a trip in the
-- background. Ids are never used again: who worked on a row that was replaced
-- meanwhile finds out.
CREATE TABLE job (
  id          INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of asking
  trip_id     TEXT    NOT NULL REFERENCES trip (id) ON DELETE CASCADE,
  kind        TEXT    NOT NULL CHECK (kind <> ''),
  generation  INTEGER NOT NULL CHECK (generation >= 1), -- of the trip when it was asked for
  state       TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'superseded')),
  attempts    INTEGER NOT NULL CHECK (attempts >= 0), -- begun so far
  crashes     INTEGER NOT NULL CHECK (crashes BETWEEN 0 AND attempts), -- attempts that ended with the process
  reason      TEXT    NOT NULL, -- for the rider: why it failed, or what to know about its result; empty for none
  last_error  TEXT    NOT NULL, -- for the operator: of the last attempt that failed; empty for none
  message_id  TEXT    NOT NULL CHECK ((message_id <> '') = (state IN ('queued', 'running'))),
  due_at      INTEGER NOT NULL, -- instant before which it is not begun
  enqueued_at INTEGER NOT NULL, -- instant
  started_at  INTEGER, -- instant of the last attempt
  finished_at INTEGER CHECK ((finished_at IS NULL) = (state IN ('queued', 'running'))) -- instant
) STRICT;

CREATE UNIQUE INDEX job_of_trip ON job (trip_id, kind);

-- What is under way.
CREATE INDEX job_active ON job (state) WHERE state IN ('queued', 'running');

-- Where a day ends that the source has fixed: JSON array of metres from the
-- start, the last at the end of the line. NULL where pacing cuts.
ALTER TABLE track ADD COLUMN day_ends TEXT CHECK (json_array_length(day_ends) > 0);

-- Which trip a person's request to create one has made, so that the same
-- request makes no second one.
CREATE TABLE creation (
  user_id    TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key        TEXT    NOT NULL, -- that the client chose, else one made of the request
  request    BLOB    NOT NULL CHECK (octet_length(request) = 32), -- SHA-256 of what was asked for
  trip_id    TEXT    NOT NULL REFERENCES trip (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL, -- instant
  PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX creation_trip ON creation (trip_id);

-- Answers of the outside world that may be used again.
CREATE TABLE answer (
  request      BLOB    NOT NULL PRIMARY KEY CHECK (octet_length(request) = 32), -- SHA-256 of what was asked
  subject      TEXT    NOT NULL, -- what it is about, such as the link of a trip: goes with it; empty for none
  url          TEXT    NOT NULL, -- that answered, after redirects
  content_type TEXT    NOT NULL,
  body         BLOB    NOT NULL, -- gzip
  expires_at   INTEGER NOT NULL  -- instant
) STRICT;

CREATE INDEX answer_expiry ON answer (expires_at);

CREATE INDEX answer_subject ON answer (subject) WHERE subject <> '';
