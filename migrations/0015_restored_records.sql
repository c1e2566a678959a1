ALTER TABLE "rowhouse"."share_links" ADD COLUMN "last_change" bigint;--> statement-breakpoint
ALTER TABLE "rowhouse"."changes" ADD COLUMN "restores" bigint;