ALTER TABLE "rowhouse"."audit" ADD COLUMN "count" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "rowhouse"."audit" ADD COLUMN "last_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rowhouse"."audit" ADD COLUMN "folded_hour" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rowhouse"."audit" ADD COLUMN "fold_key" text;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_folded" ON "rowhouse"."audit" USING btree ("folded_hour","fold_key") WHERE "rowhouse"."audit"."fold_key" is not null;