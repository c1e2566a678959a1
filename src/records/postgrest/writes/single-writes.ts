import type { Executor } from '../../../db/open'
import { wholePlan } from '../../query/plan/read'
import { insertBatched, updateBatched } from '../../store/writes/batched-writes'
import type { WrittenRow } from '../../store/writes/row-writes'
import { refuse } from '../errors/engine-errors'
import { requireSingle } from '../reads'
import type { Body } from '../request/body'
import type { Outcome } from './representation'
import type { Write } from './write-plan'

/** With others like it in one statement, as the native route does. */
export async function insertOne(executor: Executor, write: Write, names: string[], body: Body): Promise<Outcome> {
  // A trigger put the row somewhere else, or nowhere: PostgREST says nothing of that.
  return outcomeOfOne(write, await insertBatched(executor, { ...sharedBy(write, names), ...single(body) }).catch(refuse))
}

/** As `insertOne`. */
export async function changeOne(executor: Executor, write: Write, names: string[], body: Body, key: string): Promise<Outcome> {
  const change = { ...sharedBy(write, names), ...single(body), key: [key], versions: null }
  return outcomeOfOne(write, await updateBatched(executor, change).catch(refuse))
}

/** What the native route asks for, too: whoever shares a statement gets the same of it. */
const sharedBy = ({ table, returned, userId, identity }: Write, names: string[]) => ({
  table,
  names,
  userId,
  identity,
  isInSchema: true,
  returning: { plan: returned && wholePlan(table), hasKey: table.primaryKey.length > 0, hasVersion: true },
})

const single = ({ text }: Body) => ({ json: text.trim().slice(1, -1) })

function outcomeOfOne({ media }: Write, row: WrittenRow | undefined): Outcome {
  if (media.form === 'object') requireSingle(row ? 1 : 0)
  const record = row?.record ?? ''
  const body = media.form === 'object' ? record : `[${record}]`
  return { body, length: record ? 1 : 0, count: row ? 1 : 0, key: undefined, hasNew: true }
}
