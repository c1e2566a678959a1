CREATE TABLE "rowhouse"."access_document" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"rules" jsonb NOT NULL,
	"version" bigint NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_by" uuid,
	CONSTRAINT "access_document_one" CHECK ("rowhouse"."access_document"."one")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."group_members" (
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "groups_name_unique" UNIQUE("name")
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."users" ADD COLUMN "kind" text DEFAULT 'person' NOT NULL;--> statement-breakpoint
ALTER TABLE "rowhouse"."group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "rowhouse"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."group_members" ADD CONSTRAINT "group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "group_members_user" ON "rowhouse"."group_members" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "rowhouse"."users" ADD CONSTRAINT "users_kind" CHECK ("rowhouse"."users"."kind" in ('person', 'service'));--> statement-breakpoint
INSERT INTO "rowhouse"."access_document" ("rules", "version") VALUES ('[]', 1);--> statement-breakpoint
-- Once for each transaction, however many rows it changes.
CREATE FUNCTION "rowhouse"."note_access_change"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('rowhouse.access_noted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
    UPDATE rowhouse.catalog_version SET version = version + 1;
    PERFORM set_config('rowhouse.access_noted', pg_current_xact_id()::text, true);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "note_change" AFTER INSERT OR UPDATE OR DELETE ON "rowhouse"."groups" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."note_access_change"();--> statement-breakpoint
CREATE TRIGGER "note_change" AFTER INSERT OR UPDATE OR DELETE ON "rowhouse"."group_members" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."note_access_change"();--> statement-breakpoint
CREATE TRIGGER "note_change" AFTER INSERT OR UPDATE OR DELETE ON "rowhouse"."access_document" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."note_access_change"();--> statement-breakpoint
-- A service user has nothing to sign in with.
ALTER TABLE "rowhouse"."users" ADD CONSTRAINT "users_service" CHECK ("kind" = 'person' OR "password_hash" IS NULL);
