-- Where people and agents reach the server, as it was last started: what is done
-- beside it makes links of it.
CREATE TABLE server (
  id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), -- there is one
  address TEXT    NOT NULL CHECK (address <> '')       -- scheme and host
) STRICT;
