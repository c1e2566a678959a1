CREATE TABLE "rowhouse"."form_proofs" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."forms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"table_id" uuid NOT NULL,
	"enabled" boolean NOT NULL,
	"settings" jsonb NOT NULL,
	"opens_at" timestamp (3) with time zone,
	"closes_at" timestamp (3) with time zone,
	"max_submissions" bigint,
	"submissions" bigint DEFAULT 0 NOT NULL,
	"last_submission_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "forms_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE INDEX "form_proofs_expiry" ON "rowhouse"."form_proofs" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "forms_table" ON "rowhouse"."forms" USING btree ("table_id");