-- One entry of the audit log. What did not succeed can be repeated by a stranger at will, so alike entries of one hour are one row with a
-- count, and from the thousandth such row of an hour on without telling addresses apart: the log grows by the hour, not by the request.
-- Folded rows are not waited for to reach the disk: a crash of the server may forget those of its last half second.
CREATE FUNCTION "rowhouse"."record_audit"(entry uuid, k_kind text, k_result text, k_actor uuid, k_credential text, k_credential_id uuid,
  k_subject uuid, k_address text, k_network text)
RETURNS void LANGUAGE plpgsql AS $$
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
RETURNS boolean LANGUAGE plpgsql AS $$
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
RETURNS boolean LANGUAGE plpgsql AS $$
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
ALTER FUNCTION "rowhouse"."begin_attempt"(uuid, text, text, text) RENAME TO "begin_counted_attempt";
--> statement-breakpoint
CREATE FUNCTION "rowhouse"."begin_attempt"(attempt uuid, k_account_address text, k_address text, k_account text)
RETURNS TABLE (verdict text, retry_after_s integer) ROWS 1 LANGUAGE plpgsql AS $$
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
