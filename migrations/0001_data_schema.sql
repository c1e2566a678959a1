-- The users' own tables live here as real tables, so that psql, BI tools and backups see them as they are.
-- IF NOT EXISTS asks for the right to make schemas even where it exists; a limited role has only this one.
DO $$ BEGIN IF to_regnamespace('data') IS NULL THEN CREATE SCHEMA "data"; END IF; END $$;
--> statement-breakpoint
INSERT INTO "rowhouse"."catalog_version" ("version") VALUES (1);
--> statement-breakpoint
-- RFC 9562 section 5.7. PostgreSQL has uuidv7() from 18 on; this one also works on 15.
CREATE FUNCTION "rowhouse"."uuid_v7"() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid
$$;
