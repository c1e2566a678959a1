CREATE TABLE "rowhouse"."share_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"token_id" uuid,
	"kind" text NOT NULL,
	"table_id" uuid,
	"record_key" text,
	"column_id" uuid,
	"file_id" uuid,
	"query" text,
	"document" jsonb,
	"password_hash" text,
	"max_opens" integer,
	"opens" integer DEFAULT 0 NOT NULL,
	"last_opened_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "share_links_secret_hash_unique" UNIQUE("secret_hash"),
	CONSTRAINT "share_links_kind" CHECK ("rowhouse"."share_links"."kind" in ('record', 'list', 'file', 'document'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."share_links" ADD CONSTRAINT "share_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "share_links_user" ON "rowhouse"."share_links" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "share_links_record" ON "rowhouse"."share_links" USING btree ("table_id","record_key");--> statement-breakpoint
-- Counts an opening, however many instances count at the same time; false where the link has none left. Openings of one link within an
-- hour share one entry of the audit log; beyond 500 links an hour, those of one issuer do.
CREATE FUNCTION "rowhouse"."open_link"(k_link uuid, entry uuid, k_address text)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this_hour timestamptz := date_trunc('hour', now(), 'UTC');
  issuer uuid;
  subject uuid := k_link;
  alike text := 'link_opened ' || k_link::text;
BEGIN
  UPDATE rowhouse.share_links SET opens = opens + 1, last_opened_at = now()
    WHERE id = k_link AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND (max_opens IS NULL OR opens < max_opens)
    RETURNING user_id INTO issuer;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE rowhouse.audit SET count = count + 1, last_at = now() WHERE folded_hour = this_hour AND fold_key = alike;
  IF FOUND THEN RETURN true; END IF;
  IF (SELECT count(*) FROM (SELECT 1 FROM rowhouse.audit WHERE folded_hour = this_hour AND fold_key IS NOT NULL LIMIT 500) AS folded) >= 500 THEN
    alike := 'link_opened of ' || issuer::text;
    subject := NULL;
    k_address := '';
  END IF;
  INSERT INTO rowhouse.audit AS known (id, kind, result, credential, subject_id, address, folded_hour, fold_key)
    VALUES (entry, 'link_opened', 'ok', 'none', subject, k_address, this_hour, alike)
    ON CONFLICT (folded_hour, fold_key) WHERE fold_key IS NOT NULL DO UPDATE SET count = known.count + 1, last_at = now();
  RETURN true;
END
$$;
