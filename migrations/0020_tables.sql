CREATE TABLE "rowhouse"."table_views" (
	"user_id" uuid NOT NULL,
	"table_id" uuid NOT NULL,
	"settings" json NOT NULL,
	CONSTRAINT "table_views_user_id_table_id_pk" PRIMARY KEY("user_id","table_id")
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."columns" ADD COLUMN "join_table" jsonb;--> statement-breakpoint
ALTER TABLE "rowhouse"."table_views" ADD CONSTRAINT "table_views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "table_views_table" ON "rowhouse"."table_views" USING btree ("table_id");
--> statement-breakpoint
-- Whether the input function of a type, with its modifier and of a domain its checks, takes a text. From PostgreSQL 16 on there is a
-- function for that; before, only trying tells.
DO $do$
BEGIN
  IF current_setting('server_version_num')::integer >= 160000 THEN
    CREATE FUNCTION "rowhouse"."can_cast"(value text, type text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
      'select pg_input_is_valid(value, type)';
  ELSE
    CREATE FUNCTION "rowhouse"."can_cast"(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$
    DECLARE
      read text;
    BEGIN
      -- Fails for everything that is not the name of one type, so that it can stand in the statement below.
      PERFORM type::regtype;
      BEGIN
        EXECUTE format('select ($1::%s)::text', type) INTO read USING value;
      EXCEPTION WHEN others THEN
        RETURN false;
      END;
      -- A cast to a length cuts off what is longer, where an input function refuses it.
      IF type ~* '^(character|char|varchar|bit|varbit)\y.*[(]' THEN RETURN rtrim(read) = rtrim(value); END IF;
      RETURN true;
    END
    $body$;
  END IF;
END
$do$;
--> statement-breakpoint
-- Sets the columns that the trigger names to the time of the transaction, whatever the statement says.
CREATE FUNCTION "rowhouse"."touch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], now()));
END
$$;
