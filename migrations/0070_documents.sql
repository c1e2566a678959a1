CREATE TABLE "rowhouse"."documents" (
	"file_id" uuid PRIMARY KEY NOT NULL,
	"plugin" text NOT NULL,
	"template" text NOT NULL,
	"format" text NOT NULL,
	"template_hash" text NOT NULL,
	"record_version" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" uuid
);
