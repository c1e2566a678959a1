CREATE TABLE "rowhouse"."exports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"table_id" uuid NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"rows" bigint,
	"bytes" bigint,
	"sha256" text,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "exports_state" CHECK ("rowhouse"."exports"."state" in ('running', 'complete', 'failed', 'cancelled'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."exports" ADD CONSTRAINT "exports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "exports_started" ON "rowhouse"."exports" USING btree ("started_at");--> statement-breakpoint
-- Whether a cell of a file can be read as a value of a type: for what PostgreSQL 15 has no pg_input_is_valid for, and for arrays in JSON.
-- The type comes from the catalogue, never from a file.
CREATE FUNCTION "rowhouse"."reads_as"(cell text, type text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF cell LIKE '[%' AND type LIKE '%[]' THEN
    EXECUTE format('select v from json_to_record(json_build_object(''v'', $1::json)) as x (v %s)', type) USING cell;
  ELSE
    EXECUTE format('select $1::%s', type) USING cell;
  END IF;
  RETURN true;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  RETURN false;
END
$$;
