import { toRuleFailure } from '../../../db/errors'
import type { Executor } from '../../../db/pool/open'
import { withKey } from '../../query/plan/read'
import { countStatement } from '../../query/sql/read'
import { execute } from '../../store/execute'
import { accessDenied, requireWritable } from '../../store/rights'
import { insertRows } from '../../store/writes/row-writes'
import { throwRestFailure } from '../errors/failure'
import type { RestPayload } from '../request/body'
import { performWrite, type WriteOutcome } from './representation'
import type { RestWrite } from './write-plan'
import { namesOf, writeGuarded } from './writes'

/**
 * Creates the one row whose primary key the filters name, or replaces the existing one.
 * @throws RestFailure PGRST105, PGRST114, PGRST115; nothing is written then
 */
export async function putRecord(executor: Executor, write: RestWrite, body: RestPayload): Promise<WriteOutcome> {
  const { table, query, plan, userId, returned, media } = write
  requireWritable(table, 'insert', 'update')
  if (query.limit !== undefined || query.offset !== undefined) {
    throwRestFailure(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT')
  }
  if (!namesKey(write)) throwRestFailure(405, 'PGRST105', "Filters must include all and only primary key columns with 'eq' operators")
  if (body.count !== 1) throwMismatch()
  const names = namesOf(write, body)
  const insert = {
    table,
    names,
    isDefaultForMissing: false,
    conflict: { columns: table.primaryKey, resolution: 'merge' as const },
    userId,
    isInSchema: true,
  }
  return writeGuarded(executor, write, true, async ({ query: perform }) => {
    const work = {
      table,
      write: (returning: object) => insertRows(perform, { ...insert, json: body.text, returning }),
      statement: null,
    }
    const outcome = await performWrite(
      perform,
      work,
      { hasKey: true, hasNewness: table.hasRowVersion },
      returned && { ...returned, order: [] },
      media,
    )
    // An access rule or a trigger prevented the change of the row.
    if (outcome.key === undefined) throw table.access ? accessDenied(table, 'update') : toRuleFailure()
    // PostgreSQL compares the keys, since 1, 01 and "1" are the same key.
    // The caller may write records that they may not read.
    const asked = withKey({ ...plan, table: { ...table, access: undefined } }, JSON.parse(outcome.key))
    const [found] = await execute<{ total: string }>(perform, table, countStatement(asked))
    if (found?.total !== '1') throwMismatch()
    return outcome
  })
}

const throwMismatch = (): never => throwRestFailure(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)')

function namesKey({ table: { primaryKey }, query: { filters } }: RestWrite): boolean {
  const named = filters.map((filter) =>
    filter.kind === 'condition' && filter.operator === 'eq' && !filter.isNegated && !filter.quantifier && filter.column.steps.length === 0
      ? filter.column.name
      : undefined,
  )
  return primaryKey.length > 0 && named.length === primaryKey.length && primaryKey.every((name) => named.includes(name))
}
