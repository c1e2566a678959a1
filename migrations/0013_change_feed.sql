CREATE TABLE "rowhouse"."log_epochs" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" bigint NOT NULL,
	"first_id" bigint NOT NULL,
	"former_xid" "xid8" NOT NULL,
	CONSTRAINT "log_epochs_one" CHECK ("rowhouse"."log_epochs"."one")
);
--> statement-breakpoint
CREATE INDEX "changes_xid" ON "rowhouse"."changes" USING btree ("xid");--> statement-breakpoint
INSERT INTO "rowhouse"."log_epochs" ("epoch", "first_id", "former_xid") VALUES (1, 0, '0');--> statement-breakpoint
-- Readers of the log tell by the ids of transactions what is new to them. Where the log has ids that the server's own
-- counter has not reached, the database was brought here from another server: a new epoch begins.
CREATE FUNCTION "rowhouse"."log_epoch"() RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  former xid8 := (SELECT c.xid FROM rowhouse.changes c ORDER BY c.xid DESC LIMIT 1);
BEGIN
  IF former >= pg_snapshot_xmax(pg_current_snapshot()) THEN
    UPDATE rowhouse.log_epochs e SET epoch = e.epoch + 1, first_id = nextval('rowhouse.changes_id_seq'), former_xid = former WHERE e.former_xid < former;
  END IF;
  RETURN (SELECT e.epoch FROM rowhouse.log_epochs e);
END $$;
