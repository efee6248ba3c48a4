-- When the metadata document of an application is fetched again: an instant. NULL:
-- never, since the operator has pinned it, or there is none.
ALTER TABLE client ADD COLUMN expires_at INTEGER;

-- What was granted to an application, by whomever.
CREATE INDEX grant_by_client ON grant (client_id);
