CREATE TABLE "rowhouse"."changes" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "rowhouse"."changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"xid" "xid8" DEFAULT pg_catalog.pg_current_xact_id() NOT NULL,
	"table_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"key" text collate "C" NOT NULL,
	"old_key" text collate "C",
	"old_values" json,
	"new_values" json,
	"user_id" uuid,
	"credential" text,
	"credential_id" uuid,
	"plugin" text,
	"request_id" text,
	"role" text,
	CONSTRAINT "changes_table_id_id_at_pk" PRIMARY KEY("table_id","id","at"),
	CONSTRAINT "changes_operation" CHECK ("rowhouse"."changes"."operation" in ('insert', 'update', 'delete', 'truncate'))
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "rowhouse"."column_names" (
	"table_id" uuid NOT NULL,
	"column_id" uuid NOT NULL,
	"name" text NOT NULL,
	"until" bigint NOT NULL,
	CONSTRAINT "column_names_table_id_name_until_pk" PRIMARY KEY("table_id","name","until")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."logged_tables" (
	"table_id" uuid PRIMARY KEY NOT NULL,
	"is_logged" boolean NOT NULL,
	"schema" text,
	"name" text
);
--> statement-breakpoint
CREATE INDEX "changes_key" ON "rowhouse"."changes" USING btree ("table_id",pg_catalog.left(key, 200),"id");--> statement-breakpoint
CREATE INDEX "changes_trash" ON "rowhouse"."changes" USING btree ("table_id","id") WHERE operation = 'delete';--> statement-breakpoint
CREATE INDEX "changes_request" ON "rowhouse"."changes" USING btree ("request_id");--> statement-breakpoint
-- For days that have no partition yet: a write must never fail for want of one.
CREATE TABLE "rowhouse"."changes_rest" PARTITION OF "rowhouse"."changes" DEFAULT;--> statement-breakpoint
-- A value of the type json may have escapes that PostgreSQL keeps and cannot read: \u0000, and halves of surrogate pairs.
-- The log has them as the text of the escape, so that it can be read.
CREATE FUNCTION "rowhouse"."readable_json"(item json) RETURNS json LANGUAGE sql IMMUTABLE SET standard_conforming_strings = on AS $$
  SELECT CASE WHEN item::text OPERATOR(pg_catalog.~) '\\u(0000|[dD][89a-fA-F])'
    THEN (SELECT pg_catalog.string_agg(coalesce(m[1], pg_catalog.concat('\', m[2])), '') FROM pg_catalog.regexp_matches(item::text,
      '((?:[^\\]|\\[^u]|\\u(?!0000|[dD][89a-fA-F])....|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)+)|(\\u....)', 'g') m)::json
    ELSE item END
$$;--> statement-breakpoint
-- The key of a row by the primary key of now, where a column of the trigger's arguments is not there any more.
CREATE FUNCTION "rowhouse"."present_key"(item json, relation oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(json_agg(item ->> a.attname::text ORDER BY k.place)::text, '[null]')
  FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (number, place) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
  WHERE i.indrelid = relation AND i.indisprimary
$$;--> statement-breakpoint
-- The key of a row as the log has it.
CREATE FUNCTION "rowhouse"."change_key"(item json, columns text[], relation oid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(CASE WHEN pg_catalog.cardinality(columns) OPERATOR(pg_catalog.=) 1
    THEN nullif(pg_catalog.json_build_array(item OPERATOR(pg_catalog.->>) columns[1])::text, '[null]')
    ELSE (SELECT CASE WHEN pg_catalog.bool_and(c.part IS NOT NULL) THEN pg_catalog.json_agg(c.part ORDER BY c.place)::text END
      FROM (SELECT item OPERATOR(pg_catalog.->>) n.name AS part, n.place FROM pg_catalog.unnest(columns) WITH ORDINALITY AS n (name, place)) c) END,
    rowhouse.present_key(item, relation))
$$;--> statement-breakpoint
-- Its arguments are the id of the table and the columns of its key. A statement that changes many rows is logged by one
-- INSERT. Rows before and after an update are paired by a full join, which PostgreSQL never makes by comparing each row
-- with each other one, as it does with a plan that it has kept from updates of single rows. The settings are those that texts of values depend on. Where the session is of the role that owns this function, or of a member of it, the setting
-- rowhouse.origin says who writes: user, credential, plugin and request, separated by blanks, "-" for none. A statement
-- that several requests share has their ids, separated by commas: of a row that is inserted in its order, of one that
-- is updated at the place that the statement has added to rowhouse.places. The table of such a statement is the fifth
-- word: what triggers and cascades change beside it has no order, so the statement refuses itself, and each request runs
-- by itself.
CREATE FUNCTION "rowhouse"."log_changes"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- tg_argv counts from 0, and an array's subscripts from 1.
  table_id constant uuid := tg_argv[0];
  key_columns constant text[] := tg_argv[1:];
  -- Of a key of one column.
  key_column constant text := CASE WHEN tg_nargs = 2 THEN tg_argv[1] END;
  relation constant oid := tg_relid;
  escaped constant text := chr(92) || 'u';
  origin text[];
  user_id uuid;
  credential text;
  credential_id uuid;
  plugin text;
  requests text[];
  places int[];
  role text;
  found_settings text[] := ARRAY[current_setting('TimeZone'), current_setting('DateStyle'), current_setting('IntervalStyle'),
    current_setting('extra_float_digits'), current_setting('bytea_output')];
  wanted_settings constant text[] := '{UTC,"ISO, MDY",postgres,1,hex}';
BEGIN
  -- What texts of values depend on; the sessions of the service are set so already.
  IF found_settings <> wanted_settings THEN
    PERFORM set_config(name, wanted_settings[place], true)
    FROM unnest('{TimeZone,DateStyle,IntervalStyle,extra_float_digits,bytea_output}'::text[]) WITH ORDINALITY AS s (name, place);
  END IF;
  IF pg_has_role(session_user, current_user, 'MEMBER') THEN origin := string_to_array(nullif(current_setting('rowhouse.origin', true), ''), ' ', '-'); END IF;
  IF origin IS NULL THEN
    role := coalesce(nullif(current_setting('role'), 'none'), session_user);
  ELSE
    user_id := origin[1];
    credential := split_part(origin[2], ':', 1);
    credential_id := split_part(origin[2], ':', 2);
    plugin := origin[3];
    requests := string_to_array(origin[4], ',');
    IF cardinality(requests) > 1 AND (origin[5]::uuid IS DISTINCT FROM table_id OR pg_trigger_depth() > 1) THEN
      RAISE EXCEPTION USING ERRCODE = 'RW001', MESSAGE = 'Several requests share this statement, which also changes rows of which it is not known who asked for them.';
    END IF;
    IF cardinality(requests) > 1 AND tg_op = 'UPDATE' THEN places := string_to_array(ltrim(current_setting('rowhouse.places', true), ','), ','); END IF;
  END IF;
  IF tg_op = 'INSERT' THEN
    INSERT INTO rowhouse.changes (table_id, operation, key, new_values, user_id, credential, credential_id, plugin, request_id, role)
    SELECT table_id, 'insert', coalesce('[' || to_json(n.item ->> key_column)::text || ']', rowhouse.change_key(n.item, key_columns, relation)), n.item,
      user_id, credential, credential_id, plugin, requests[least(n.place, cardinality(requests))], role
    FROM (SELECT place, CASE WHEN strpos(raw::text, escaped) = 0 THEN raw ELSE rowhouse.readable_json(raw) END AS item
      FROM (SELECT row_number() OVER () AS place, row_to_json(r.*) AS raw FROM new_rows r) t) n;
  ELSIF tg_op = 'UPDATE' THEN
    INSERT INTO rowhouse.changes (table_id, operation, key, old_key, old_values, new_values, user_id, credential, credential_id, plugin, request_id, role)
    SELECT table_id, 'update', k.new, CASE WHEN c.old::jsonb ?| key_columns THEN nullif(rowhouse.change_key(o.item, key_columns, relation), k.new) END,
      c.old, c.new, user_id, credential, credential_id, plugin,
      requests[coalesce(places[o.place], least(o.place, cardinality(requests)))], role
    FROM (SELECT place, CASE WHEN strpos(raw::text, escaped) = 0 THEN raw ELSE rowhouse.readable_json(raw) END AS item
        FROM (SELECT row_number() OVER () AS place, row_to_json(r.*) AS raw FROM old_rows r) t) o
      FULL JOIN (SELECT place, CASE WHEN strpos(raw::text, escaped) = 0 THEN raw ELSE rowhouse.readable_json(raw) END AS item
        FROM (SELECT row_number() OVER () AS place, row_to_json(r.*) AS raw FROM new_rows r) t) n ON n.place = o.place
      CROSS JOIN LATERAL (SELECT json_object_agg(name, v.old) AS old, json_object_agg(name, v.new) AS new
        FROM ROWS FROM (json_each(o.item), json_each(n.item)) AS v (name, old, same_name, new) WHERE v.old::text IS DISTINCT FROM v.new::text) c
      CROSS JOIN LATERAL (SELECT coalesce('[' || to_json(n.item ->> key_column)::text || ']', rowhouse.change_key(n.item, key_columns, relation)) AS new) k
    WHERE c.new IS NOT NULL;
  ELSIF tg_op = 'DELETE' THEN
    INSERT INTO rowhouse.changes (table_id, operation, key, old_values, user_id, credential, credential_id, plugin, request_id, role)
    SELECT table_id, 'delete', coalesce('[' || to_json(o.item ->> key_column)::text || ']', rowhouse.change_key(o.item, key_columns, relation)), o.item,
      user_id, credential, credential_id, plugin, requests[least(o.place, cardinality(requests))], role
    FROM (SELECT place, CASE WHEN strpos(raw::text, escaped) = 0 THEN raw ELSE rowhouse.readable_json(raw) END AS item
      FROM (SELECT row_number() OVER () AS place, row_to_json(r.*) AS raw FROM old_rows r) t) o;
  ELSE
    INSERT INTO rowhouse.changes (table_id, operation, key, user_id, credential, credential_id, plugin, request_id, role)
    VALUES (table_id, 'truncate', '[]', user_id, credential, credential_id, plugin, requests[1], role);
  END IF;
  IF found_settings <> wanted_settings THEN
    PERFORM set_config(name, found_settings[place], true)
    FROM unnest('{TimeZone,DateStyle,IntervalStyle,extra_float_digits,bytea_output}'::text[]) WITH ORDINALITY AS s (name, place);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- What a column was called before it was renamed or dropped: the log has the names of its time.
CREATE FUNCTION "rowhouse"."note_column_name"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO rowhouse.column_names (table_id, column_id, name, until) VALUES (OLD.table_id, OLD.id, OLD.name, nextval('rowhouse.changes_id_seq'));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "note_name" AFTER UPDATE OF "name" ON "rowhouse"."columns" FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION "rowhouse"."note_column_name"();--> statement-breakpoint
CREATE TRIGGER "note_dropped_name" AFTER DELETE ON "rowhouse"."columns" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."note_column_name"();
