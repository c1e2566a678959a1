/**
 * SQL: whether clocks in a zone show a local time exactly once. They skip some when they are put forward, and show
 * others twice when they are put back.
 * @param moment a timestamptz that is less than a day away from the local time
 */
export function isShownOnce(moment: string, local: string, zone: string): string {
  const withOffsetAt = (at: string) =>
    `pg_catalog.timezone('UTC', m.local - (pg_catalog.timezone(m.zone, ${at}) - pg_catalog.timezone('UTC', ${at})))`
  const isShown = (at: string) => `pg_catalog.timezone(c.zone, ${at}) = c.local`
  return `(select case when c.before = c.after then ${isShown('c.before')} else (${isShown('c.before')}) <> (${isShown('c.after')}) end
    from (select m.local, m.zone, ${withOffsetAt("m.moment - interval '1 day'")} as before, ${withOffsetAt("m.moment + interval '1 day'")} as after
      from (select ${moment} as moment, ${local} as local, ${zone} as zone offset 0) m offset 0) c)`
}
