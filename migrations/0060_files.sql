CREATE TABLE "rowhouse"."files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"table_id" uuid NOT NULL,
	"column_id" uuid NOT NULL,
	"name" text NOT NULL,
	"size" bigint NOT NULL,
	"type" text NOT NULL,
	"sha256" text NOT NULL,
	"width" integer,
	"height" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" uuid NOT NULL,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."loose_files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "files_column" ON "rowhouse"."files" USING btree ("column_id");--> statement-breakpoint
CREATE INDEX "files_removed" ON "rowhouse"."files" USING btree ("removed_at") WHERE removed_at is not null;--> statement-breakpoint
CREATE INDEX "loose_files_expiry" ON "rowhouse"."loose_files" USING btree ("expires_at");--> statement-breakpoint
-- One part of a path, percent-encoded (RFC 3986 section 2.1).
CREATE FUNCTION "rowhouse"."path_part"(part text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN part ~ '^[A-Za-z0-9._~-]*$' THEN part ELSE (
    SELECT string_agg(CASE WHEN chr(byte) ~ '[A-Za-z0-9._~-]' AND byte < 128 THEN chr(byte) ELSE '%' || upper(lpad(to_hex(byte), 2, '0')) END, '' ORDER BY place)
    FROM (SELECT place, get_byte(convert_to(part, 'UTF8'), place) AS byte
      FROM generate_series(0, octet_length(convert_to(part, 'UTF8')) - 1) AS place) bytes) END
$$;
--> statement-breakpoint
-- Where the files of one cell are: a file's address is this and its id.
CREATE FUNCTION "rowhouse"."attachment_place"(table_id text, key text[], column_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '/api/v1/tables/' || table_id || '/records/'
    || (SELECT string_agg(rowhouse.path_part(part), ',' ORDER BY place) FROM unnest(key) WITH ORDINALITY AS parts (part, place))
    || '/attachments/' || column_id || '/'
$$;
--> statement-breakpoint
-- A cell as it leaves in JSON: each file with its address. What somebody wrote into the cell by hand stays as it is.
CREATE FUNCTION "rowhouse"."attachments"(cell jsonb, place text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN cell ELSE (
    SELECT jsonb_agg(CASE jsonb_typeof(file) WHEN 'object' THEN file || jsonb_build_object('url', place || (file ->> 'id')) ELSE file END ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END
$$;
--> statement-breakpoint
-- As `attachments` made it, for CSV: `name (address),name (address)`. `origin` is what stands before the path of an address.
CREATE FUNCTION "rowhouse"."attachment_text"(cell jsonb, origin text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN NULL ELSE (
    SELECT string_agg(format('%s (%s)', file ->> 'name', origin || (file ->> 'url')), ',' ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END
$$;
