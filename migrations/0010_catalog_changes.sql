CREATE TABLE "rowhouse"."catalog_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "rowhouse"."catalog_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1)
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."catalog_version" ADD COLUMN "fingerprint" text;
--> statement-breakpoint
-- Wakes the instances, so that they read the new definitions before a request needs them. That they read them at all does not depend on it:
-- every request brings the version along.
CREATE FUNCTION "rowhouse"."tell_catalog_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('rowhouse', 'changed');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "tell" AFTER UPDATE ON "rowhouse"."catalog_version" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."tell_catalog_version"();
