-- Whether somebody has said the language of a person: else it is that of the browser
-- in which they first sign in.
ALTER TABLE user ADD COLUMN language_known INTEGER NOT NULL DEFAULT 1 CHECK (language_known IN (0, 1));
