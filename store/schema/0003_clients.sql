-- An application that may ask people for access to their trips, by its
-- client_id (RFC 6749, section 2.2).
CREATE TABLE client (
  id            TEXT    NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 2048),
  kind          TEXT    NOT NULL CHECK (kind IN ('operator', 'document', 'dynamic')), -- who has registered it: the operator, its own metadata document, itself
  name          TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 128), -- shown to people, third-party text
  redirect_uris TEXT    NOT NULL CHECK (json_array_length(redirect_uris) BETWEEN 0 AND 10), -- JSON array; none: it cannot ask, a token is handed to it
  created_at    INTEGER NOT NULL -- instant
) STRICT;

-- What a person has granted to an application. Every access token belongs to
-- one, and is worth nothing once it is revoked or gone.
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

CREATE INDEX grant_of_client ON grant (user_id, client_id);
