ALTER TABLE "rowhouse"."tables" ADD COLUMN "section" text;--> statement-breakpoint
ALTER TABLE "rowhouse"."tables" ADD COLUMN "position" integer;