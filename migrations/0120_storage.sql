CREATE TABLE "rowhouse"."storage" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"place" text NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	CONSTRAINT "storage_one" CHECK ("rowhouse"."storage"."one")
);
