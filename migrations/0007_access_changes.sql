CREATE TABLE "rowhouse"."access_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"user_id" uuid,
	"version" bigint NOT NULL,
	"removed" jsonb NOT NULL,
	"added" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."sessions" ADD COLUMN "viewed_user_id" uuid;--> statement-breakpoint
CREATE INDEX "access_changes_at" ON "rowhouse"."access_changes" USING btree ("at");--> statement-breakpoint
ALTER TABLE "rowhouse"."sessions" ADD CONSTRAINT "sessions_viewed_user_id_users_id_fk" FOREIGN KEY ("viewed_user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;