-- IF NOT EXISTS asks for the right to make schemas even where it exists; a limited role has only this one.
DO $$ BEGIN IF to_regnamespace('rowhouse') IS NULL THEN CREATE SCHEMA "rowhouse"; END IF; END $$;
--> statement-breakpoint
CREATE TABLE "rowhouse"."catalog_version" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "catalog_version_one" CHECK ("rowhouse"."catalog_version"."one")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."columns" (
	"id" uuid PRIMARY KEY NOT NULL,
	"table_id" uuid NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"required" boolean NOT NULL,
	"is_unique" boolean NOT NULL,
	"default" jsonb,
	"options" jsonb NOT NULL,
	"position" integer NOT NULL,
	"key_position" integer,
	CONSTRAINT "columns_name" UNIQUE("table_id","name")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"address" text NOT NULL,
	"agent" text NOT NULL,
	CONSTRAINT "sessions_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."setup" (
	"done" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"completed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "setup_once" CHECK ("rowhouse"."setup"."done")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."setup_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."tables" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tables_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"parent_id" uuid,
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"tables" uuid[],
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"last_used_in_url_at" timestamp (3) with time zone,
	CONSTRAINT "tokens_secret_hash_unique" UNIQUE("secret_hash"),
	CONSTRAINT "tokens_scope" CHECK ("rowhouse"."tokens"."scope" in ('read', 'write', 'full'))
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"disabled_at" timestamp (3) with time zone,
	"last_login_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_role" CHECK ("rowhouse"."users"."role" in ('admin', 'editor', 'viewer'))
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."columns" ADD CONSTRAINT "columns_table_id_tables_id_fk" FOREIGN KEY ("table_id") REFERENCES "rowhouse"."tables"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."tokens" ADD CONSTRAINT "tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."tokens" ADD CONSTRAINT "tokens_parent_id_tokens_id_fk" FOREIGN KEY ("parent_id") REFERENCES "rowhouse"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_user" ON "rowhouse"."sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "rowhouse"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tokens_user" ON "rowhouse"."tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tokens_parent" ON "rowhouse"."tokens" USING btree ("parent_id");