ALTER TABLE "rowhouse"."tables" ADD COLUMN "is_search_indexed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- A text in which the letters a to z are as `folded` of src/records/query/search-patterns.ts folds them: lower case, without accents. Indexes
-- contain its results, so a change of them needs a function of another name.
CREATE FUNCTION "rowhouse"."folded"(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  plain text := pg_catalog.lower(value COLLATE pg_catalog."C");
BEGIN
  IF pg_catalog.octet_length(value) OPERATOR(pg_catalog.=) pg_catalog.char_length(value) THEN
    RETURN plain;
  END IF;
  plain := pg_catalog.lower(pg_catalog.regexp_replace(pg_catalog.normalize(value, 'NFD') COLLATE pg_catalog."C", '[\u0300-\u036f]', '', 'g'));
  IF pg_catalog.octet_length(plain) OPERATOR(pg_catalog.=) pg_catalog.char_length(plain) THEN
    RETURN plain;
  END IF;
  plain := pg_catalog.translate(plain, 'ÐðØøĐđĦħıŁłŦŧ', 'ddooddhhilltt');
  plain := pg_catalog.replace(pg_catalog.replace(plain, 'ß', 'ss'), 'ẞ', 'ss');
  plain := pg_catalog.replace(pg_catalog.replace(plain, 'Æ', 'ae'), 'æ', 'ae');
  plain := pg_catalog.replace(pg_catalog.replace(plain, 'Œ', 'oe'), 'œ', 'oe');
  RETURN pg_catalog.replace(pg_catalog.replace(plain, 'Þ', 'th'), 'þ', 'th');
END $$;--> statement-breakpoint
-- The texts of values that settings of the session change. The service reads them with the same settings.
CREATE FUNCTION "rowhouse"."search_text"(value date) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET datestyle = 'ISO, MDY' RETURN value::text;--> statement-breakpoint
CREATE FUNCTION "rowhouse"."search_text"(value timestamp) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET datestyle = 'ISO, MDY' RETURN value::text;--> statement-breakpoint
CREATE FUNCTION "rowhouse"."search_text"(value timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET datestyle = 'ISO, MDY' SET timezone = 'UTC' RETURN value::text;--> statement-breakpoint
CREATE FUNCTION "rowhouse"."search_text"(value float8) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET extra_float_digits = 1 RETURN value::text;--> statement-breakpoint
CREATE FUNCTION "rowhouse"."search_text"(value float4) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET extra_float_digits = 1 RETURN value::text;--> statement-breakpoint
CREATE FUNCTION "rowhouse"."search_text"(value text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN pg_catalog.array_to_string(value, E'\n');
