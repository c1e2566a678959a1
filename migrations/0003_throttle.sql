-- Failed and unfinished sign-ins (SECURITY.md section 4). Keys are HMACs, so no address and no e-mail lies here.
-- A success leaves no row; an attempt whose process died counts as failed after ten seconds.
-- None of it is waited for to reach the disk: a crash of the server may forget the guesses of its last half second.
CREATE FUNCTION "rowhouse"."begin_attempt"(attempt uuid, k_account_address text, k_address text, k_account text)
RETURNS TABLE (verdict text, retry_after_s integer) LANGUAGE plpgsql AS $$
DECLARE
  failed_here integer; pending_here integer; last_here timestamptz;
  failed_address integer; pending_address integer; oldest_address timestamptz;
  failed_hour integer; failed_day integer; pending_account integer; oldest_hour timestamptz;
  is_known boolean;
  hold interval;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Always in this order: address before account, so that two attempts never wait for each other.
  PERFORM pg_advisory_xact_lock(hashtextextended(k_address, 0));
  PERFORM pg_advisory_xact_lock(hashtextextended(k_account, 1));

  SELECT count(*) FILTER (WHERE NOT a.is_pending OR a.at < now() - interval '10 seconds'),
         count(*) FILTER (WHERE a.is_pending AND a.at >= now() - interval '10 seconds'), max(a.at)
    INTO failed_here, pending_here, last_here
    FROM rowhouse.auth_throttle a WHERE a.account_address = k_account_address AND a.at > now() - interval '15 minutes';
  SELECT count(*) FILTER (WHERE NOT a.is_pending OR a.at < now() - interval '10 seconds'),
         count(*) FILTER (WHERE a.is_pending AND a.at >= now() - interval '10 seconds'), min(a.at)
    INTO failed_address, pending_address, oldest_address
    FROM rowhouse.auth_throttle a WHERE a.address = k_address AND a.at > now() - interval '15 minutes';
  SELECT count(*) FILTER (WHERE (NOT a.is_pending OR a.at < now() - interval '10 seconds') AND a.at > now() - interval '1 hour'),
         count(*) FILTER (WHERE NOT a.is_pending OR a.at < now() - interval '10 seconds'),
         count(*) FILTER (WHERE a.is_pending AND a.at >= now() - interval '10 seconds'),
         min(a.at) FILTER (WHERE a.at > now() - interval '1 hour')
    INTO failed_hour, failed_day, pending_account, oldest_hour
    FROM rowhouse.auth_throttle a WHERE a.account = k_account AND a.at > now() - interval '1 day';
  is_known := EXISTS (SELECT 1 FROM rowhouse.auth_known_addresses k WHERE k.account_address = k_account_address);

  IF failed_here >= 5 THEN
    hold := least(interval '30 seconds' * power(2, failed_here - 5), interval '15 minutes');
    IF last_here + hold > now() THEN
      RETURN QUERY SELECT 'refused', ceil(extract(epoch FROM last_here + hold - now()))::integer; RETURN;
    END IF;
  END IF;
  IF failed_address >= 20 THEN
    RETURN QUERY SELECT 'refused', greatest(1, ceil(extract(epoch FROM oldest_address + interval '15 minutes' - now()))::integer); RETURN;
  END IF;
  IF NOT is_known AND failed_hour >= 50 THEN
    RETURN QUERY SELECT 'refused', greatest(1, ceil(extract(epoch FROM oldest_hour + interval '1 hour' - now()))::integer); RETURN;
  END IF;
  IF NOT is_known AND failed_day >= 100 THEN
    RETURN QUERY SELECT 'refused', 3600; RETURN;
  END IF;
  -- Full only because others are still being checked: their outcome decides. After a hold one attempt at a time goes on.
  IF pending_here >= greatest(1, 5 - failed_here) OR failed_address + pending_address >= 20
     OR (NOT is_known AND (failed_hour + pending_account >= 50 OR failed_day + pending_account >= 100)) THEN
    RETURN QUERY SELECT 'wait', 1; RETURN;
  END IF;
  INSERT INTO rowhouse.auth_throttle (id, account_address, address, account) VALUES (attempt, k_account_address, k_address, k_account);
  RETURN QUERY SELECT 'go', 0;
END
$$;
--> statement-breakpoint
-- `ok` forgets this account's failures from this address and nobody else's, and the address is known from now on.
CREATE FUNCTION "rowhouse"."end_attempt"(attempt uuid, outcome text, k_account_address text)
RETURNS void LANGUAGE plpgsql AS $$
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
