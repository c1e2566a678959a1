ALTER TABLE "rowhouse"."imports" DROP CONSTRAINT "imports_state";--> statement-breakpoint
ALTER TABLE "rowhouse"."imports" ALTER COLUMN "rows" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "rowhouse"."imports" ADD CONSTRAINT "imports_state" CHECK ("rowhouse"."imports"."state" in ('queued', 'running', 'complete', 'failed', 'cancelled'));