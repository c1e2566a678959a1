import { equal, operator } from '../db/search-path'

/**
 * This number of steps takes milliseconds. No other session takes as many numbers between the check of a counter and
 * its setting.
 */
const maxSteps = 10_000

/**
 * Advances counters to a number that they have not reached yet, from rows of `counter` (regclass) and `most`. Comparing
 * a counter and then setting it may set it back, because other sessions advance it in between without a lock; advancing
 * it step by step cannot. The right to use a counter is enough for steps. A counter that lags further stays unchanged
 * if the role has no right to set it, and so does a counter that cannot reach the number.
 */
export const advanceText = (rows: string): string => `select case when c.steps ${operator('<=')} ${maxSteps}
    then (select pg_catalog.max(n.number) from (select pg_catalog.nextval(c.counter) as number from pg_catalog.generate_series(1, c.steps::bigint)) n)
    else pg_catalog.setval(c.counter, c.most) end
  from (select c.counter, c.most, pg_catalog.ceil((c.most::numeric ${operator('-')} coalesce(pg_catalog.pg_sequence_last_value(c.counter)::numeric,
      s.seqstart::numeric ${operator('-')} s.seqincrement::numeric)) ${operator('/')} greatest(s.seqincrement, 1)) as steps
    from (${rows}) c join pg_sequence s on s.seqrelid ${equal} c.counter
    where c.most ${operator('<=')} s.seqmax and pg_catalog.has_sequence_privilege(c.counter, 'usage, update')) c
  where c.steps ${operator('>')} 0 and (c.steps ${operator('<=')} ${maxSteps} or pg_catalog.has_sequence_privilege(c.counter, 'update'))`
