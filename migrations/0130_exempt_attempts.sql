-- A block of the address or of the account refuses nobody who comes from where the account was signed in to in the last 90 days (SEC-22): such an
-- attempt is exempt. It counts for the account at this address alone and leaves no trace that others could see, so that no answer tells where an
-- account was signed in to (SEC-18).
ALTER TABLE "rowhouse"."auth_throttle" ADD COLUMN "is_exempt" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
-- Verdicts: `refused` and `wait` as before; `go` with seconds is an exempt attempt, whose wrong guess is to be answered like a refusal for so long.
CREATE OR REPLACE FUNCTION "rowhouse"."begin_counted_attempt"(attempt uuid, k_account_address text, k_address text, k_account text)
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
