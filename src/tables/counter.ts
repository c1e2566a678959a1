/** So many numbers cost milliseconds. Nobody takes as many between the look at a counter and its setting. */
const mostSteps = 10_000

/**
 * Moves counters on to a number that they have not reached yet, from rows of `counter` (regclass) and `most`. A counter that is compared and then set may be set
 * back, as others go on counting in between without waiting for anybody; one that is only ever counted on cannot.
 * @param condition more that has to hold
 */
export const advanceText = (rows: string, condition = 'true'): string => `select case when c.steps <= ${mostSteps}
    then (select max(n.number) from (select nextval(c.counter) as number from generate_series(1, c.steps::bigint)) n) else setval(c.counter, c.most) end
  from (select c.counter, c.most, ceil((c.most - coalesce(pg_sequence_last_value(c.counter), 0))::numeric / greatest(s.seqincrement, 1)) as steps
    from (${rows}) c join pg_sequence s on s.seqrelid = c.counter where ${condition}) c
  where c.steps > 0`
