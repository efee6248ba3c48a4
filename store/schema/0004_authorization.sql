-- An authorization code (RFC 6749, section 4.1.2), by its hash: what a person has
-- granted is fetched with it once.
CREATE TABLE authorization_code (
  hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  grant_id     TEXT    NOT NULL REFERENCES grant (id) ON DELETE CASCADE,
  redirect_uri TEXT    NOT NULL, -- where it was sent, as it was asked for
  challenge    TEXT    NOT NULL CHECK (length(challenge) = 43), -- S256 (RFC 7636, section 4.2)
  expires_at   INTEGER NOT NULL, -- instant
  used_at      INTEGER -- instant; NULL: not yet
) STRICT;

CREATE INDEX authorization_code_of_grant ON authorization_code (grant_id);
CREATE INDEX authorization_code_by_end ON authorization_code (expires_at);

-- A refresh token (RFC 6749, section 1.5), by its hash. Those of one grant are its
-- family: each takes the place of the one before.
CREATE TABLE refresh_token (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  grant_id   TEXT    NOT NULL REFERENCES grant (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL, -- instant
  rotated_at INTEGER -- instant from which another one is in its place; NULL: it is the last
) STRICT;

CREATE INDEX refresh_token_of_grant ON refresh_token (grant_id);
CREATE INDEX refresh_token_by_end ON refresh_token (expires_at);

-- What an application has asked a person for (RFC 6749, section 4.1.1), by the
-- hash of its handle, until the person has decided and the application has heard of
-- it.
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

CREATE INDEX authorization_request_of_user ON authorization_request (user_id);
CREATE INDEX authorization_request_by_end ON authorization_request (expires_at);

-- A link with which a person signs in once, by the hash of its secret.
CREATE TABLE sign_in_link (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  user_id    TEXT    NOT NULL UNIQUE REFERENCES user (id) ON DELETE CASCADE, -- a new one takes the place of the last
  expires_at INTEGER NOT NULL -- instant
) STRICT;

-- A browser in which a person is signed in, by the hash of its cookie.
CREATE TABLE session (
  hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256
  user_id    TEXT    NOT NULL REFERENCES user (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL -- instant
) STRICT;

CREATE INDEX session_of_user ON session (user_id);
CREATE INDEX session_by_end ON session (expires_at);
