CREATE TABLE "rowhouse"."audit" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"result" text NOT NULL,
	"actor_id" uuid,
	"credential" text NOT NULL,
	"credential_id" uuid,
	"subject_id" uuid,
	"address" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."auth_known_addresses" (
	"account_address" text PRIMARY KEY NOT NULL,
	"last_success_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."auth_secret" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret" text NOT NULL,
	CONSTRAINT "auth_secret_one" CHECK ("rowhouse"."auth_secret"."one")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."auth_throttle" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_address" text NOT NULL,
	"address" text NOT NULL,
	"account" text NOT NULL,
	"is_pending" boolean DEFAULT true NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."invites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invites_user_id_unique" UNIQUE("user_id"),
	CONSTRAINT "invites_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."invites" ADD CONSTRAINT "invites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_at" ON "rowhouse"."audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "rowhouse"."audit" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_kind" ON "rowhouse"."audit" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "auth_throttle_account_address" ON "rowhouse"."auth_throttle" USING btree ("account_address","at");--> statement-breakpoint
CREATE INDEX "auth_throttle_address" ON "rowhouse"."auth_throttle" USING btree ("address","at");--> statement-breakpoint
CREATE INDEX "auth_throttle_account" ON "rowhouse"."auth_throttle" USING btree ("account","at");