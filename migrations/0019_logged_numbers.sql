-- As 0011_changes made it, but without a cast to jsonb: a column of the type json may have a number that jsonb cannot
-- hold, such as 1e400000, and no write may fail because of the log.
CREATE OR REPLACE FUNCTION "rowhouse"."log_changes"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    SELECT table_id, 'update', k.new, CASE WHEN EXISTS (SELECT FROM json_object_keys(c.old) AS j (name) WHERE j.name = ANY (key_columns)) THEN nullif(rowhouse.change_key(o.item, key_columns, relation), k.new) END,
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
