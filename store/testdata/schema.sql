-- index answer_expiry
CREATE INDEX answer_expiry ON answer (expires_at);
-- index answer_subject
CREATE INDEX answer_subject ON answer (subject) WHERE subject <> '';
-- index authorization_code_by_end
CREATE INDEX authorization_code_by_end ON authorization_code (expires_at);
-- index authorization_code_of_grant
CREATE INDEX authorization_code_of_grant ON authorization_code (grant_id);
-- index authorization_request_by_end
CREATE INDEX authorization_request_by_end ON authorization_request (expires_at);
-- index authorization_request_of_user
CREATE INDEX authorization_request_of_user ON authorization_request (user_id);
-- index creation_trip
CREATE INDEX creation_trip ON creation (trip_id);
-- index goqite_queue_priority_created_idx
CREATE INDEX goqite_queue_priority_created_idx ON goqite (queue, priority DESC, created);
-- index grant_by_client
CREATE INDEX grant_by_client ON grant (client_id);
-- index grant_of_client
CREATE INDEX grant_of_client ON grant (user_id, client_id);
-- index job_active
CREATE INDEX job_active ON job (state) WHERE state IN ('queued', 'running');
-- index job_of_trip
CREATE UNIQUE INDEX job_of_trip ON job (trip_id, kind);
-- index refresh_token_by_end
CREATE INDEX refresh_token_by_end ON refresh_token (expires_at);
-- index refresh_token_of_grant
CREATE INDEX refresh_token_of_grant ON refresh_token (grant_id);
-- index session_by_end
CREATE INDEX session_by_end ON session (expires_at);
-- index session_of_user
CREATE INDEX session_of_user ON session (user_id);
-- index trip_newest
CREATE INDEX trip_newest ON trip (owner_id, created_at DESC, id DESC);
-- table answer
CREATE TABLE answer (
  request      BLOB    NOT NULL PRIMARY KEY CHECK (octet_length(request) = 32), -- SHA-256 of what was asked
  subject      TEXT    NOT NULL, -- what it is about, such as the link of a trip: goes with it; empty for none
  url          TEXT    NOT NULL, -- that answered, after redirects
  content_type TEXT    NOT NULL,
  body         BLOB    NOT NULL, -- gzip
  expires_at   INTEGER NOT NULL  -- instant
) STRICT;
-- table authorization_code
CREATE TABLE authorization_code (
  hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  grant_id     TEXT    NOT NULL REFERENCES grant (id) ON DELETE CASCADE,
  redirect_uri TEXT    NOT NULL, -- where it was sent, as it was asked for
  challenge    TEXT    NOT NULL CHECK (length(challenge) = 43), -- S256 (RFC 7636, section 4.2)
  expires_at   INTEGER NOT NULL, -- instant
  used_at      INTEGER -- instant; NULL: not yet
) STRICT;
-- table authorization_request
CREATE TABLE authorization_request (
  hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of the handle
  user_id      TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  session      BLOB    NOT NULL CHECK (length(session) = 32), -- SHA-256 of that of the browser it was asked in
  client_id    TEXT    NOT NULL,
  redirect_uri TEXT    NOT NULL, -- as it was asked for
  scopes       TEXT    NOT NULL CHECK (scopes <> ''), -- separated by spaces
  state        TEXT, -- of the application; NULL: none
  challenge    TEXT    NOT NULL CHECK (length(challenge) = 43), -- S256 (RFC 7636, section 4.2)
  expires_at   INTEGER NOT NULL, -- instant
  decision     TEXT    CHECK (decision IN ('authorize', 'refuse')), -- NULL: not yet
  delivered_at INTEGER -- instant; NULL: the application has not heard of it
) STRICT;
-- table client
CREATE TABLE client (
  id            TEXT    NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 2048),
  kind          TEXT    NOT NULL CHECK (kind IN ('operator', 'document', 'dynamic')), -- who has registered it: the operator, its own metadata document, itself
  name          TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 128), -- shown to people, third-party text
  redirect_uris TEXT    NOT NULL CHECK (json_array_length(redirect_uris) BETWEEN 0 AND 10), -- JSON array; none: it cannot ask, a token is handed to it
  created_at    INTEGER NOT NULL -- instant
, expires_at INTEGER) STRICT;
-- table creation
CREATE TABLE creation (
  user_id    TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  key        TEXT    NOT NULL, -- that the client chose, else one made of the request
  request    BLOB    NOT NULL CHECK (octet_length(request) = 32), -- SHA-256 of what was asked for
  trip_id    TEXT    NOT NULL REFERENCES trip (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL, -- instant
  PRIMARY KEY (user_id, key)
) STRICT;
-- table goqite
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
-- table grant
CREATE TABLE grant (
  id            TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  user_id       TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  client_id     TEXT    NOT NULL, -- stays when the client is forgotten
  client_name   TEXT    NOT NULL CHECK (length(client_name) BETWEEN 1 AND 128), -- as the person saw it
  redirect_host TEXT    NOT NULL, -- where the answer went; empty: handed out by the operator
  scopes        TEXT    NOT NULL CHECK (scopes <> ''), -- separated by spaces
  created_at    INTEGER NOT NULL, -- instant
  last_used_at  INTEGER, -- instant, to the minute or so; NULL: never
  revoked_at    INTEGER, -- instant; NULL: alive
  revoke_reason TEXT    NOT NULL CHECK ((revoke_reason = '') = (revoked_at IS NULL))
) STRICT;
-- table job
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
-- table refresh_token
CREATE TABLE refresh_token (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  grant_id   TEXT    NOT NULL REFERENCES grant (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL, -- instant
  rotated_at INTEGER -- instant from which another one is in its place; NULL: it is the last
) STRICT;
-- table server
CREATE TABLE server (
  id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), -- there is one
  address TEXT    NOT NULL CHECK (address <> '')       -- scheme and host
) STRICT;
-- table session
CREATE TABLE session (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  user_id    TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL -- instant
) STRICT;
-- table sign_in_link
CREATE TABLE sign_in_link (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  user_id    TEXT    NOT NULL UNIQUE REFERENCES user (id) ON DELETE CASCADE, -- a new one takes the place of the last
  expires_at INTEGER NOT NULL -- instant
) STRICT;
-- table stage
CREATE TABLE stage (
  id          TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  trip_id     TEXT    NOT NULL REFERENCES trip (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL CHECK (position >= 0), -- 0 is the first day
  rest_day    INTEGER NOT NULL CHECK (rest_day IN (0, 1)),
  label       TEXT    NOT NULL -- name given to the day, empty for none
              CHECK (length(label) <= 255 AND octet_length(label) <= 1020),
  start_label TEXT    NOT NULL, -- locality of the start, empty until known
  end_label   TEXT    NOT NULL, -- locality of the end, empty until known
  distance_m  REAL    NOT NULL CHECK (distance_m >= 0), -- metres, 0 on a rest day
  ascent_m    REAL    CHECK (ascent_m >= 0),  -- metres; NULL: unknown, or a rest day
  descent_m   REAL    CHECK (descent_m >= 0), -- metres; NULL: unknown, or a rest day
  start_lat   REAL    NOT NULL CHECK (start_lat BETWEEN -90 AND 90),
  start_lon   REAL    NOT NULL CHECK (start_lon BETWEEN -180 AND 180),
  start_ele   REAL, -- NULL: unknown
  end_lat     REAL    NOT NULL CHECK (end_lat BETWEEN -90 AND 90),
  end_lon     REAL    NOT NULL CHECK (end_lon BETWEEN -180 AND 180),
  end_ele     REAL, -- NULL: unknown
  span_from_m REAL    CHECK (span_from_m >= 0), -- metres along the trip's own track; NULL: the day leaves it
  span_to_m   REAL    CHECK (span_to_m >= span_from_m),
  UNIQUE (trip_id, position),
  CHECK ((span_from_m IS NULL) = (span_to_m IS NULL)),
  CHECK (rest_day = 0 OR (distance_m = 0 AND ascent_m IS NULL AND descent_m IS NULL))
) STRICT;
-- table stage_track
CREATE TABLE stage_track (
  stage_id TEXT NOT NULL PRIMARY KEY REFERENCES stage (id) ON DELETE CASCADE,
  line     BLOB NOT NULL -- stored form of package track
) STRICT;
-- table track
CREATE TABLE track (
  trip_id TEXT NOT NULL PRIMARY KEY REFERENCES trip (id) ON DELETE CASCADE,
  line    BLOB NOT NULL -- stored form of package track
, day_ends TEXT CHECK (json_array_length(day_ends) > 0)) STRICT;
-- table trip
CREATE TABLE trip (
  id                  TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  owner_id            TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  title               TEXT    NOT NULL -- empty until known
                      CHECK (length(title) <= 255 AND octet_length(title) <= 1020),
  source_url          TEXT    NOT NULL, -- where the route came from, empty for an uploaded file
  source_type         TEXT    NOT NULL
                      CHECK (source_type IN ('komoot_tour', 'komoot_collection', 'strava_route', 'ride_with_gps', 'file_upload')),
  fatigue_factor      REAL    NOT NULL CHECK (fatigue_factor BETWEEN 0.5 AND 1), -- effort of each day relative to the one before
  elevation_penalty   REAL    NOT NULL CHECK (elevation_penalty > 0 AND elevation_penalty <= 1000), -- metres of ascent that count as one kilometre
  max_day_km          REAL    NOT NULL CHECK (max_day_km BETWEEN 30 AND 300), -- longest day, kilometres
  average_speed_kmh   REAL    NOT NULL CHECK (average_speed_kmh BETWEEN 5 AND 50), -- kilometres an hour
  departure_hour      INTEGER NOT NULL CHECK (departure_hour BETWEEN 0 AND 23), -- local time
  ebike_mode          INTEGER NOT NULL CHECK (ebike_mode IN (0, 1)), -- 1: a day also ends where the battery does
  accommodation_types TEXT    NOT NULL CHECK (json_array_length(accommodation_types) > 0), -- JSON array of OpenStreetMap tourism values
  start_date          TEXT    CHECK (start_date IS date(start_date)), -- NULL: the trip is not dated
  wished_end_date     TEXT    CHECK (wished_end_date IS date(wished_end_date)), -- last day asked for; NULL: the distance decides
  version             INTEGER NOT NULL CHECK (version >= 1), -- what a client edits against
  generation          INTEGER NOT NULL CHECK (generation >= 1), -- analysis run: work of an older one is dropped
  out_of_zone         INTEGER NOT NULL CHECK (out_of_zone IN (0, 1)), -- 1: the route leaves the area there are maps for
  created_at          INTEGER NOT NULL, -- instant
  updated_at          INTEGER NOT NULL  -- instant
) STRICT;
-- table user
CREATE TABLE user (
  id         TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  email      TEXT    NOT NULL COLLATE NOCASE UNIQUE -- as typed; ASCII letters compare without case
             CHECK (octet_length(email) BETWEEN 3 AND 254),
  language   TEXT    NOT NULL CHECK (language IN ('en', 'fr')), -- of pages, mails and alerts
  created_at INTEGER NOT NULL -- instant
, language_known INTEGER NOT NULL DEFAULT 1 CHECK (language_known IN (0, 1))) STRICT;
-- trigger goqite_updated_timestamp
CREATE TRIGGER goqite_updated_timestamp AFTER UPDATE ON goqite BEGIN
  UPDATE goqite SET updated = strftime('%Y-%m-%dT%H:%M:%fZ') WHERE id = old.id;
END;
