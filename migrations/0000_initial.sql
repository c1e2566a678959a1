CREATE TABLE "rowhouse"."audit" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"result" text NOT NULL,
	"actor_id" uuid,
	"credential" text NOT NULL,
	"credential_id" uuid,
	"subject_id" uuid,
	"address" text NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"last_at" timestamp (3) with time zone,
	"folded_hour" timestamp (3) with time zone,
	"fold_key" text
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
	"is_exempt" boolean DEFAULT false NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."catalog_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "rowhouse"."catalog_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1)
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."catalog_version" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" bigint NOT NULL,
	"fingerprint" text,
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
	"join_table" jsonb,
	CONSTRAINT "columns_name" UNIQUE("table_id","name")
);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE "rowhouse"."exports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"table_id" uuid NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"rows" bigint,
	"bytes" bigint,
	"sha256" text,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "exports_state" CHECK ("rowhouse"."exports"."state" in ('running', 'complete', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"table_id" uuid NOT NULL,
	"column_id" uuid NOT NULL,
	"name" text NOT NULL,
	"size" bigint NOT NULL,
	"type" text NOT NULL,
	"sha256" text NOT NULL,
	"width" integer,
	"height" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_by" uuid NOT NULL,
	"removed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."idempotency_keys" (
	"user_id" uuid NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" integer NOT NULL,
	"headers" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"table_id" uuid,
	"state" text DEFAULT 'running' NOT NULL,
	"rows" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"result" text,
	"problem" text,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "imports_state" CHECK ("rowhouse"."imports"."state" in ('running', 'complete', 'failed', 'cancelled'))
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
CREATE TABLE "rowhouse"."loose_files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "rowhouse"."storage" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	"place" text NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	CONSTRAINT "storage_one" CHECK ("rowhouse"."storage"."one")
);
--> statement-breakpoint
CREATE TABLE "rowhouse"."table_views" (
	"user_id" uuid NOT NULL,
	"table_id" uuid NOT NULL,
	"settings" json NOT NULL,
	CONSTRAINT "table_views_user_id_table_id_pk" PRIMARY KEY("user_id","table_id")
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
ALTER TABLE "rowhouse"."exports" ADD CONSTRAINT "exports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."imports" ADD CONSTRAINT "imports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."invites" ADD CONSTRAINT "invites_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."table_views" ADD CONSTRAINT "table_views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."tokens" ADD CONSTRAINT "tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "rowhouse"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rowhouse"."tokens" ADD CONSTRAINT "tokens_parent_id_tokens_id_fk" FOREIGN KEY ("parent_id") REFERENCES "rowhouse"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_folded" ON "rowhouse"."audit" USING btree ("folded_hour","fold_key") WHERE "rowhouse"."audit"."fold_key" is not null;--> statement-breakpoint
CREATE INDEX "audit_at" ON "rowhouse"."audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "rowhouse"."audit" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_kind" ON "rowhouse"."audit" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX "auth_throttle_account_address" ON "rowhouse"."auth_throttle" USING btree ("account_address","at");--> statement-breakpoint
CREATE INDEX "auth_throttle_address" ON "rowhouse"."auth_throttle" USING btree ("address","at");--> statement-breakpoint
CREATE INDEX "auth_throttle_account" ON "rowhouse"."auth_throttle" USING btree ("account","at");--> statement-breakpoint
CREATE INDEX "exports_started" ON "rowhouse"."exports" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "files_column" ON "rowhouse"."files" USING btree ("column_id");--> statement-breakpoint
CREATE INDEX "files_removed" ON "rowhouse"."files" USING btree ("removed_at") WHERE removed_at is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "rowhouse"."idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "imports_started" ON "rowhouse"."imports" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "loose_files_expiry" ON "rowhouse"."loose_files" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "rowhouse"."sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "rowhouse"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "table_views_table" ON "rowhouse"."table_views" USING btree ("table_id");--> statement-breakpoint
CREATE INDEX "tokens_user" ON "rowhouse"."tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tokens_parent" ON "rowhouse"."tokens" USING btree ("parent_id");
--> statement-breakpoint
INSERT INTO "rowhouse"."catalog_version" ("version") VALUES (1);
--> statement-breakpoint
-- Functions take nothing from the search path, in whose schemas other roles may have operators and functions (CVE-2018-1058): bodies of the form
-- RETURN (…) are resolved when the function is made; others set their own path. `touch`, `reads_as` and `can_cast` read values of users' types,
-- whose functions may rely on the search path of the role: there every name has its schema.
-- RFC 9562 section 5.7. PostgreSQL has uuidv7() from 18 on; this one also works on 15.
CREATE FUNCTION "rowhouse"."uuid_v7"() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE RETURN (
  encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid);
--> statement-breakpoint
-- Failed and unfinished sign-ins. Keys are HMACs, so no address and no e-mail lies here.
-- A success leaves no row; an attempt whose process died counts as failed after ten seconds.
-- None of it is waited for to reach the disk: a crash of the server may forget the guesses of its last half second.
CREATE FUNCTION "rowhouse"."begin_counted_attempt"(attempt uuid, k_account_address text, k_address text, k_account text)
RETURNS TABLE (verdict text, retry_after_s integer) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  failed_here integer; pending_here integer; last_here timestamptz;
  failed_all_here integer; pending_all_here integer; last_all_here timestamptz;
  failed_address integer; pending_address integer; oldest_address timestamptz;
  failed_hour integer; failed_day integer; pending_account integer; oldest_hour timestamptz;
  blocked_until timestamptz;
  block_s integer;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Always in this order: address before account, so that two attempts never wait for each other.
  PERFORM pg_advisory_xact_lock(hashtextextended(k_address, 0));
  PERFORM pg_advisory_xact_lock(hashtextextended(k_account, 1));

  SELECT count(*) FILTER (WHERE NOT here.is_checked AND NOT here.is_exempt), count(*) FILTER (WHERE here.is_checked AND NOT here.is_exempt),
         max(here.at) FILTER (WHERE NOT here.is_exempt),
         count(*) FILTER (WHERE NOT here.is_checked), count(*) FILTER (WHERE here.is_checked), max(here.at)
    INTO failed_here, pending_here, last_here, failed_all_here, pending_all_here, last_all_here
    FROM (SELECT a.is_exempt, a.at, a.is_pending AND a.at >= now() - interval '10 seconds' AS is_checked
      FROM rowhouse.auth_throttle a WHERE a.account_address = k_account_address AND a.at > now() - interval '15 minutes') here;
  SELECT count(*) FILTER (WHERE NOT a.is_pending OR a.at < now() - interval '10 seconds'),
         count(*) FILTER (WHERE a.is_pending AND a.at >= now() - interval '10 seconds'), min(a.at)
    INTO failed_address, pending_address, oldest_address
    FROM rowhouse.auth_throttle a WHERE a.address = k_address AND NOT a.is_exempt AND a.at > now() - interval '15 minutes';
  SELECT count(*) FILTER (WHERE (NOT a.is_pending OR a.at < now() - interval '10 seconds') AND a.at > now() - interval '1 hour'),
         count(*) FILTER (WHERE NOT a.is_pending OR a.at < now() - interval '10 seconds'),
         count(*) FILTER (WHERE a.is_pending AND a.at >= now() - interval '10 seconds'),
         min(a.at) FILTER (WHERE a.at > now() - interval '1 hour')
    INTO failed_hour, failed_day, pending_account, oldest_hour
    FROM rowhouse.auth_throttle a WHERE a.account = k_account AND NOT a.is_exempt AND a.at > now() - interval '1 day';

  IF failed_address >= 20 THEN blocked_until := oldest_address + interval '15 minutes';
  ELSIF failed_hour >= 50 THEN blocked_until := oldest_hour + interval '1 hour';
  ELSIF failed_day >= 100 THEN blocked_until := now() + interval '1 hour';
  END IF;
  IF blocked_until IS NOT NULL THEN
    block_s := greatest(1, ceil(extract(epoch FROM blocked_until - now())))::integer;
    -- Nobody waits for the outcome of others here, since that would show that somebody is being checked.
    IF pending_all_here >= greatest(1, 5 - failed_all_here)
      OR (failed_all_here >= 5 AND last_all_here + least(interval '30 seconds' * power(2, failed_all_here - 5), interval '15 minutes') > now())
      OR NOT EXISTS (SELECT 1 FROM rowhouse.auth_known_addresses k
        WHERE k.account_address = k_account_address AND k.last_success_at > now() - interval '90 days') THEN
      RETURN QUERY SELECT 'refused', block_s; RETURN;
    END IF;
    INSERT INTO rowhouse.auth_throttle (id, account_address, address, account, is_exempt)
      VALUES (attempt, k_account_address, k_address, k_account, true);
    RETURN QUERY SELECT 'go', block_s; RETURN;
  END IF;
  IF failed_here >= 5 AND last_here + least(interval '30 seconds' * power(2, failed_here - 5), interval '15 minutes') > now() THEN
    RETURN QUERY SELECT 'refused', ceil(extract(epoch FROM
      last_here + least(interval '30 seconds' * power(2, failed_here - 5), interval '15 minutes') - now()))::integer; RETURN;
  END IF;
  -- Full only because others are still being checked: their outcome decides. After a hold one attempt at a time goes on.
  IF pending_here >= greatest(1, 5 - failed_here) OR failed_address + pending_address >= 20
     OR failed_hour + pending_account >= 50 OR failed_day + pending_account >= 100 THEN
    RETURN QUERY SELECT 'wait', 1; RETURN;
  END IF;
  INSERT INTO rowhouse.auth_throttle (id, account_address, address, account) VALUES (attempt, k_account_address, k_address, k_account);
  RETURN QUERY SELECT 'go', 0;
END
$$;
--> statement-breakpoint
-- `ok` forgets this account's failures from this address and nobody else's, and the address is known from now on.
CREATE FUNCTION "rowhouse"."end_attempt"(attempt uuid, outcome text, k_account_address text)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  IF outcome = 'failed' THEN
    UPDATE rowhouse.auth_throttle SET is_pending = false WHERE id = attempt;
  ELSE
    DELETE FROM rowhouse.auth_throttle WHERE id = attempt;
  END IF;
  IF outcome = 'ok' THEN
    DELETE FROM rowhouse.auth_throttle a
      WHERE a.account_address = k_account_address AND (NOT a.is_pending OR a.at < now() - interval '10 seconds');
    INSERT INTO rowhouse.auth_known_addresses AS known (account_address) VALUES (k_account_address)
      ON CONFLICT (account_address) DO UPDATE SET last_success_at = now() WHERE known.last_success_at < now() - interval '1 hour';
  END IF;
END
$$;
--> statement-breakpoint
-- One entry of the audit log. What did not succeed can be repeated by a stranger at will, so alike entries of one hour are one row with a
-- count, and from the thousandth such row of an hour on without telling addresses apart: the log grows by the hour, not by the request.
-- Folded rows are not waited for to reach the disk: a crash of the server may forget those of its last half second.
CREATE FUNCTION "rowhouse"."record_audit"(entry uuid, k_kind text, k_result text, k_actor uuid, k_credential text, k_credential_id uuid,
  k_subject uuid, k_address text, k_network text)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this_hour timestamptz := date_trunc('hour', now(), 'UTC');
  alike text;
BEGIN
  IF k_result = 'ok' THEN
    INSERT INTO rowhouse.audit (id, kind, result, actor_id, credential, credential_id, subject_id, address)
      VALUES (entry, k_kind, k_result, k_actor, k_credential, k_credential_id, k_subject, k_address);
    RETURN;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  alike := concat_ws(' ', k_kind, k_result, coalesce(k_actor::text, '-'), coalesce(k_subject::text, '-'), k_credential,
    coalesce(k_credential_id::text, '-'), k_network);
  UPDATE rowhouse.audit SET count = count + 1, last_at = now() WHERE folded_hour = this_hour AND fold_key = alike;
  IF FOUND THEN RETURN; END IF;
  IF (SELECT count(*) FROM (SELECT 1 FROM rowhouse.audit WHERE folded_hour = this_hour AND fold_key IS NOT NULL LIMIT 1000) AS folded) >= 1000 THEN
    alike := concat_ws(' ', k_kind, k_result, coalesce(k_actor::text, '-'), coalesce(k_subject::text, '-'));
    k_credential := 'none';
    k_credential_id := NULL;
    k_address := '';
  END IF;
  INSERT INTO rowhouse.audit AS known (id, kind, result, actor_id, credential, credential_id, subject_id, address, folded_hour, fold_key)
    VALUES (entry, k_kind, k_result, k_actor, k_credential, k_credential_id, k_subject, k_address, this_hour, alike)
    ON CONFLICT (folded_hour, fold_key) WHERE fold_key IS NOT NULL DO UPDATE SET count = known.count + 1, last_at = now();
END
$$;
--> statement-breakpoint
-- Begins a session; false when the user is gone, disabled, or no longer has the password that was checked (null: none was).
-- The user comes first, for its lock: whoever changes the password or disables the user ends this session too, or finds it not begun.
CREATE FUNCTION "rowhouse"."begin_session"(k_user uuid, checked_hash text, session uuid, k_secret_hash text, replaced_hash text,
  k_address text, k_agent text, lasts_s integer, most integer)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE rowhouse.users SET last_login_at = now()
    WHERE id = k_user AND (checked_hash IS NULL OR (password_hash = checked_hash AND disabled_at IS NULL));
  IF NOT FOUND THEN RETURN false; END IF;
  IF replaced_hash IS NOT NULL THEN
    DELETE FROM rowhouse.sessions WHERE secret_hash = replaced_hash;
  END IF;
  INSERT INTO rowhouse.sessions (id, secret_hash, user_id, expires_at, address, agent)
    VALUES (session, k_secret_hash, k_user, now() + make_interval(secs => lasts_s), k_address, k_agent);
  IF EXISTS (SELECT 1 FROM rowhouse.sessions s WHERE s.user_id = k_user OFFSET most) THEN
    DELETE FROM rowhouse.sessions WHERE id IN
      (SELECT s.id FROM rowhouse.sessions s WHERE s.user_id = k_user ORDER BY s.created_at DESC, s.id DESC OFFSET most);
  END IF;
  RETURN true;
END
$$;
--> statement-breakpoint
-- All that a sign-in leaves behind once its password was right, in one round trip and one commit, which reaches the disk: the session, the
-- end of the attempt, the entry of the audit log. False when the user was changed meanwhile; the attempt is then as if it had not been.
CREATE FUNCTION "rowhouse"."complete_sign_in"(attempt uuid, k_account_address text, k_user uuid, checked_hash text, session uuid,
  k_secret_hash text, replaced_hash text, k_address text, k_agent text, lasts_s integer, most integer, entry uuid)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT rowhouse.begin_session(k_user, checked_hash, session, k_secret_hash, replaced_hash, k_address, k_agent, lasts_s, most) THEN
    PERFORM rowhouse.end_attempt(attempt, 'undecided', k_account_address);
    RETURN false;
  END IF;
  -- As `end_attempt` does it for `ok`. One statement, since each costs as much as what it does.
  WITH ended AS (
    DELETE FROM rowhouse.auth_throttle a WHERE a.account_address = k_account_address
      AND (a.id = attempt OR NOT a.is_pending OR a.at < now() - interval '10 seconds')
  ), known AS (
    INSERT INTO rowhouse.auth_known_addresses AS k (account_address) VALUES (k_account_address)
      ON CONFLICT (account_address) DO UPDATE SET last_success_at = now() WHERE k.last_success_at < now() - interval '1 hour'
  )
  INSERT INTO rowhouse.audit (id, kind, result, actor_id, credential, address) VALUES (entry, 'login', 'ok', k_user, 'none', k_address);
  RETURN true;
END
$$;
--> statement-breakpoint
-- Most attempts come where nobody has failed and nobody else is trying, and then there is nothing to count.
CREATE FUNCTION "rowhouse"."begin_attempt"(attempt uuid, k_account_address text, k_address text, k_account text)
RETURNS TABLE (verdict text, retry_after_s integer) ROWS 1 LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  verdict := set_config('synchronous_commit', 'off', true);
  -- Always in this order: address before account, so that two attempts never wait for each other.
  PERFORM pg_advisory_xact_lock(hashtextextended(k_address, 0)), pg_advisory_xact_lock(hashtextextended(k_account, 1));
  IF EXISTS (SELECT 1 FROM rowhouse.auth_throttle a WHERE a.account = k_account)
    OR EXISTS (SELECT 1 FROM rowhouse.auth_throttle a WHERE a.address = k_address) THEN
    RETURN QUERY SELECT * FROM rowhouse.begin_counted_attempt(attempt, k_account_address, k_address, k_account);
    RETURN;
  END IF;
  INSERT INTO rowhouse.auth_throttle (id, account_address, address, account) VALUES (attempt, k_account_address, k_address, k_account);
  verdict := 'go';
  retry_after_s := 0;
  RETURN NEXT;
END
$$;
--> statement-breakpoint
-- Wakes the instances, so that they read the new definitions before a request needs them. That they read them at all does not depend on it:
-- every request brings the version along.
CREATE FUNCTION "rowhouse"."tell_catalog_version"() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_notify('rowhouse', 'changed');
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "tell" AFTER UPDATE ON "rowhouse"."catalog_version" FOR EACH ROW EXECUTE FUNCTION "rowhouse"."tell_catalog_version"();
--> statement-breakpoint
-- Whether the input function of a type, with its modifier and of a domain its checks, takes a text. From PostgreSQL 16 on there is a
-- function for that; before, only trying tells.
DO $do$
BEGIN
  IF current_setting('server_version_num')::integer >= 160000 THEN
    CREATE FUNCTION "rowhouse"."can_cast"(value text, type text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
      'select pg_input_is_valid(value, type)';
  ELSE
    CREATE FUNCTION "rowhouse"."can_cast"(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$
    DECLARE
      read text;
    BEGIN
      -- Fails for everything that is not the name of one type, so that it can stand in the statement below.
      PERFORM type::regtype;
      BEGIN
        EXECUTE pg_catalog.format('select ($1::%s)::text', type) INTO read USING value;
      EXCEPTION WHEN others THEN
        RETURN false;
      END;
      -- A cast to a length cuts off what is longer, where an input function refuses it.
      IF type ~* '^(character|char|varchar|bit|varbit)\y.*[(]' THEN RETURN pg_catalog.rtrim(read) = pg_catalog.rtrim(value); END IF;
      RETURN true;
    END
    $body$;
  END IF;
END
$do$;
--> statement-breakpoint
-- Sets the columns that the trigger names to the time of the transaction, whatever the statement says.
CREATE FUNCTION "rowhouse"."touch"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN pg_catalog.jsonb_populate_record(NEW, pg_catalog.jsonb_build_object(TG_ARGV[0], now()));
END
$$;
--> statement-breakpoint
-- Whether a cell of a file can be read as a value of a type: for what PostgreSQL 15 has no pg_input_is_valid for, and for arrays in JSON.
-- The type comes from the catalogue, never from a file.
CREATE FUNCTION "rowhouse"."reads_as"(cell text, type text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF cell LIKE '[%' AND type LIKE '%[]' THEN
    EXECUTE pg_catalog.format('select v from pg_catalog.json_to_record(pg_catalog.json_build_object(''v'', $1::json)) as x (v %s)', type) USING cell;
  ELSE
    EXECUTE pg_catalog.format('select $1::%s', type) USING cell;
  END IF;
  RETURN true;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  RETURN false;
END
$$;
--> statement-breakpoint
-- One part of a path, percent-encoded (RFC 3986 section 2.1).
CREATE FUNCTION "rowhouse"."path_part"(part text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN part ~ '^[A-Za-z0-9._~-]*$' THEN part ELSE (
    SELECT string_agg(CASE WHEN chr(byte) ~ '[A-Za-z0-9._~-]' AND byte < 128 THEN chr(byte) ELSE '%' || upper(lpad(to_hex(byte), 2, '0')) END, '' ORDER BY place)
    FROM (SELECT place, get_byte(convert_to(part, 'UTF8'), place) AS byte
      FROM generate_series(0, octet_length(convert_to(part, 'UTF8')) - 1) AS place) bytes) END);
--> statement-breakpoint
-- Where the files of one cell are: a file's address is this and its id.
CREATE FUNCTION "rowhouse"."attachment_place"(table_id text, key text[], column_id text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  '/api/v1/tables/' || table_id || '/records/'
    || (SELECT string_agg(rowhouse.path_part(part), ',' ORDER BY place) FROM unnest(key) WITH ORDINALITY AS parts (part, place))
    || '/attachments/' || column_id || '/');
--> statement-breakpoint
-- A cell as it leaves in JSON: each file with its address. What somebody wrote into the cell by hand stays as it is.
CREATE FUNCTION "rowhouse"."attachments"(cell jsonb, place text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN cell ELSE (
    SELECT jsonb_agg(CASE jsonb_typeof(file) WHEN 'object' THEN file || jsonb_build_object('url', place || (file ->> 'id')) ELSE file END ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END);
--> statement-breakpoint
-- As `attachments` made it, for CSV: `name (address),name (address)`. `origin` is what stands before the path of an address.
CREATE FUNCTION "rowhouse"."attachment_text"(cell jsonb, origin text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
  CASE WHEN jsonb_typeof(cell) IS DISTINCT FROM 'array' OR cell = '[]' THEN NULL ELSE (
    SELECT string_agg(format('%s (%s)', file ->> 'name', origin || (file ->> 'url')), ',' ORDER BY n)
    FROM jsonb_array_elements(cell) WITH ORDINALITY AS files (file, n)) END);
