CREATE TABLE "rowhouse"."imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"table_id" uuid,
	"state" text DEFAULT 'running' NOT NULL,
	"rows" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"result" text,
	"problem" text,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "imports_state" CHECK ("rowhouse"."imports"."state" in ('running', 'complete', 'failed', 'cancelled'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."imports" ADD CONSTRAINT "imports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "imports_started" ON "rowhouse"."imports" USING btree ("started_at");
