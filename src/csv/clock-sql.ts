import { equal, operator } from '../db/search-path'

const minus = operator('-')

/**
 * SQL: whether clocks in a zone show a local time exactly once. They skip some when they are put forward, and show
 * others twice when they are put back.
 * @param moment SQL of a timestamptz less than a day away from the local time
 */
export function isShownOnce(moment: string, local: string, zone: string): string {
  const withOffsetAt = (at: string) =>
    `pg_catalog.timezone('UTC', m.local ${minus} (pg_catalog.timezone(m.zone, ${at}) ${minus} pg_catalog.timezone('UTC', ${at})))`
  const isShown = (at: string) => `pg_catalog.timezone(c.zone, ${at}) ${equal} c.local`
  const before = withOffsetAt(`m.moment ${minus} interval '1 day'`)
  const after = withOffsetAt(`m.moment ${operator('+')} interval '1 day'`)
  return `(select case when c.before ${equal} c.after then ${isShown('c.before')}
      else (${isShown('c.before')}) ${operator('<>')} (${isShown('c.after')}) end
    from (select m.local, m.zone, ${before} as before, ${after} as after
      from (select ${moment} as moment, ${local} as local, ${zone} as zone offset 0) m offset 0) c)`
}
