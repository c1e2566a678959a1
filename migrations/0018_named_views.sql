CREATE TABLE "rowhouse"."named_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"table_id" uuid NOT NULL,
	"user_id" uuid,
	"name" text NOT NULL,
	"settings" json NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "named_views_name" UNIQUE NULLS NOT DISTINCT("user_id","table_id","name")
);
--> statement-breakpoint
ALTER TABLE "rowhouse"."named_views" ADD CONSTRAINT "named_views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "named_views_table" ON "rowhouse"."named_views" USING btree ("table_id");