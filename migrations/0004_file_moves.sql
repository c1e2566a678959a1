CREATE TABLE "rowhouse"."moved_files" (
	"file_id" uuid PRIMARY KEY NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"fault" text,
	CONSTRAINT "moved_files_fault" CHECK ("rowhouse"."moved_files"."fault" in ('missing', 'altered'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."storage" ADD COLUMN "moved_from" uuid;--> statement-breakpoint
ALTER TABLE "rowhouse"."storage" ADD COLUMN "target_id" uuid;--> statement-breakpoint
ALTER TABLE "rowhouse"."storage" ADD COLUMN "target_place" text;