CREATE TABLE "rowhouse"."budgets" (
	"key" text PRIMARY KEY NOT NULL,
	"period_number" bigint NOT NULL,
	"used" integer NOT NULL,
	"used_before" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "budgets_expiry" ON "rowhouse"."budgets" USING btree ("expires_at");--> statement-breakpoint
-- Takes one call from a budget of `most` calls in a period of so many seconds, wherever that begins: the calls of the calendar
-- period before the present one count for as much of it as a period that ends now still covers.
-- Returns 0, or the milliseconds until there is a call to take.
CREATE FUNCTION "rowhouse"."take_from_budget"(k_key text, most integer, period_s integer)
RETURNS integer LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  at_s double precision;
  present bigint;
  covered double precision;
  kept rowhouse.budgets;
  used integer := 0;
  before integer := 0;
BEGIN
  -- A count that is lost with the machine lets a few calls more through. One that is refused writes nothing.
  PERFORM set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(hashtextextended(k_key, 2));
  at_s := extract(epoch FROM clock_timestamp());
  SELECT * INTO kept FROM rowhouse.budgets b WHERE b.key = k_key;
  -- The clock may have been set back.
  present := greatest(floor(at_s / period_s), kept.period_number);
  covered := greatest(0, least(1, present + 1 - at_s / period_s));
  IF kept.period_number = present THEN
    used := kept.used;
    before := kept.used_before;
  ELSIF kept.period_number = present - 1 THEN
    before := kept.used;
  END IF;
  IF used >= most THEN
    RETURN ceil(1000 * period_s * (covered + 1 - (most - 1)::double precision / used));
  ELSIF used + before * covered + 1 > most THEN
    RETURN ceil(1000 * period_s * (covered - (most - used - 1)::double precision / before));
  END IF;
  INSERT INTO rowhouse.budgets AS b (key, period_number, used, used_before, expires_at)
    VALUES (k_key, present, used + 1, before, to_timestamp((present + 2) * period_s))
    ON CONFLICT (key) DO UPDATE SET period_number = excluded.period_number, used = excluded.used, used_before = excluded.used_before,
      expires_at = excluded.expires_at;
  RETURN 0;
END
$$;
