CREATE TABLE "rowhouse"."backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"origin" text NOT NULL,
	"requested_by" uuid,
	"place" text,
	"bytes" bigint,
	"contents" json,
	"problem" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "backups_state" CHECK ("rowhouse"."backups"."state" in ('proven', 'unproven', 'failed')),
	CONSTRAINT "backups_origin" CHECK ("rowhouse"."backups"."origin" in ('schedule', 'request', 'command'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."backups" ADD CONSTRAINT "backups_requested_by_users_id_fk" FOREIGN KEY ("requested_by") REFERENCES "rowhouse"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backups_finished" ON "rowhouse"."backups" USING btree ("finished_at");