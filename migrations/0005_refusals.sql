CREATE TABLE "rowhouse"."refusals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"fold_key" text NOT NULL,
	"method" text NOT NULL,
	"route" text,
	"status" integer NOT NULL,
	"code" text,
	"reason" text NOT NULL,
	"detail" text,
	"at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL,
	"request_ids" text[] NOT NULL,
	CONSTRAINT "refusals_fold" UNIQUE("credential_id","minute","fold_key")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."revoked_tokens" (
	"secret_hash" text PRIMARY KEY NOT NULL,
	"token_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"revoked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "revoked_tokens_token_id_unique" UNIQUE("token_id")
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."refusals" ADD CONSTRAINT "refusals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."revoked_tokens" ADD CONSTRAINT "revoked_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refusals_credential" ON "rowhouse"."refusals" USING btree ("credential_id","id");--> statement-breakpoint
CREATE INDEX "refusals_user" ON "rowhouse"."refusals" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "refusals_end" ON "rowhouse"."refusals" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "revoked_tokens_user" ON "rowhouse"."revoked_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "revoked_tokens_end" ON "rowhouse"."revoked_tokens" USING btree ("revoked_at");--> statement-breakpoint
-- Whatever ends a token: its owner, an administrator, a new password, the end of its parent. Not the end of its owner.
CREATE FUNCTION "rowhouse"."keep_revoked_token"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO rowhouse.revoked_tokens (secret_hash, token_id, user_id)
    SELECT OLD.secret_hash, OLD.id, OLD.user_id WHERE EXISTS (SELECT FROM rowhouse.users WHERE id = OLD.user_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "tokens_keep_revoked" AFTER DELETE ON "rowhouse"."tokens" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."keep_revoked_token"();
