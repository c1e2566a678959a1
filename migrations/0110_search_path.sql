-- Functions of Rowhouse take nothing from the search path, in whose schemas other roles may have operators and functions (CVE-2018-1058).
-- Bodies of this form were resolved when the function was made.
CREATE OR REPLACE FUNCTION "rowhouse"."uuid_v7"() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE RETURN (
  encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "rowhouse"."path_part"(part text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN part ~ '^[A-Za-z0-9._~-]*$' THEN part ELSE (
    SELECT string_agg(CASE WHEN chr(byte) ~ '[A-Za-z0-9._~-]' AND byte < 128 THEN chr(byte) ELSE '%' || upper(lpad(to_hex(byte), 2, '0')) END, '' ORDER BY place)
    FROM (SELECT place, get_byte(convert_to(part, 'UTF8'), place) AS byte
      FROM generate_series(0, octet_length(convert_to(part, 'UTF8')) - 1) AS place) bytes) END);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "rowhouse"."attachment_place"(table_id text, key text[], column_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  '/api/v1/tables/' || table_id || '/records/'
    || (SELECT string_agg(rowhouse.path_part(part), ',' ORDER BY place) FROM unnest(key) WITH ORDINALITY AS parts (part, place))
    || '/attachments/' || column_id || '/');
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "rowhouse"."attachments"(cell jsonb, place text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN cell ELSE (
    SELECT jsonb_agg(CASE jsonb_typeof(file) WHEN 'object' THEN file || jsonb_build_object('url', place || (file ->> 'id')) ELSE file END ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "rowhouse"."attachment_text"(cell jsonb, origin text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN NULL ELSE (
    SELECT string_agg(format('%s (%s)', file ->> 'name', origin || (file ->> 'url')), ',' ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END);
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."begin_attempt"(uuid, text, text, text) SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."begin_counted_attempt"(uuid, text, text, text) SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."end_attempt"(uuid, text, text) SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."record_audit"(uuid, text, text, uuid, text, uuid, uuid, text, text) SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."begin_session"(uuid, text, uuid, text, text, text, text, integer, integer) SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."complete_sign_in"(uuid, text, uuid, text, uuid, text, text, text, text, integer, integer, uuid)
  SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
ALTER FUNCTION "rowhouse"."tell_catalog_version"() SET search_path = pg_catalog, pg_temp;
--> statement-breakpoint
-- These read values of users' types, whose own functions may rely on the search path of the role. So it stays, and every name has its schema.
CREATE OR REPLACE FUNCTION "rowhouse"."touch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN pg_catalog.jsonb_populate_record(NEW, pg_catalog.jsonb_build_object(TG_ARGV[0], now()));
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "rowhouse"."reads_as"(cell text, type text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF cell LIKE '[%' AND type LIKE '%[]' THEN
    EXECUTE pg_catalog.format('select v from pg_catalog.json_to_record(pg_catalog.json_build_object(''v'', $1::json)) as x (v %s)', type) USING cell;
  ELSE
    EXECUTE pg_catalog.format('select $1::%s', type) USING cell;
  END IF;
  RETURN true;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  RETURN false;
END
$$;
--> statement-breakpoint
DO $do$
BEGIN
  IF current_setting('server_version_num')::integer < 160000 THEN
    CREATE OR REPLACE FUNCTION "rowhouse"."can_cast"(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$
    DECLARE
      read text;
    BEGIN
      -- Fails for everything that is not the name of one type, so that it can stand in the statement below.
      PERFORM type::regtype;
      BEGIN
        EXECUTE pg_catalog.format('select ($1::%s)::text', type) INTO read USING value;
      EXCEPTION WHEN others THEN
        RETURN false;
      END;
      -- A cast to a length cuts off what is longer, where an input function refuses it.
      IF type ~* '^(character|char|varchar|bit|varbit)\y.*[(]' THEN RETURN pg_catalog.rtrim(read) = pg_catalog.rtrim(value); END IF;
      RETURN true;
    END
    $body$;
  END IF;
END
$do$;
