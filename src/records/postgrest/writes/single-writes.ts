import type { Executor } from '../../../db/open'
import { wholePlan } from '../../query/plan/read'
import { insertBatched, updateBatched } from '../../store/writes/batched-writes'
import type { WrittenRow } from '../../store/writes/row-writes'
import { throwRestError } from '../errors/engine-errors'
import { requireSingle } from '../reads'
import type { RestPayload } from '../request/body'
import type { WriteOutcome } from './representation'
import type { RestWrite } from './write-plan'

/** With others like it in one statement, as the native route does. */
export async function insertOneRow(executor: Executor, write: RestWrite, names: string[], body: RestPayload): Promise<WriteOutcome> {
  // A trigger put the row somewhere else, or nowhere: PostgREST says nothing of that.
  return outcomeOfOne(
    write,
    await insertBatched(executor, { ...sharedBy(write, names), ...single(body) }).catch((error) => throwRestError(error, write.table)),
  )
}

/** As `insertOneRow`. */
export async function updateOneRow(
  executor: Executor,
  write: RestWrite,
  names: string[],
  body: RestPayload,
  key: string,
): Promise<WriteOutcome> {
  const change = { ...sharedBy(write, names), ...single(body), key: [key], versions: null }
  return outcomeOfOne(write, await updateBatched(executor, change).catch((error) => throwRestError(error, write.table)))
}

/** What the native route asks for, too: whoever shares a statement gets the same of it. */
const sharedBy = ({ table, returned, userId, identity }: RestWrite, names: string[]) => ({
  table,
  names,
  userId,
  identity,
  isInSchema: true,
  returning: { plan: returned && wholePlan(table), hasKey: table.primaryKey.length > 0, hasVersion: true },
})

const single = ({ text }: RestPayload) => ({ json: text.trim().slice(1, -1) })

function outcomeOfOne({ media }: RestWrite, row: WrittenRow | undefined): WriteOutcome {
  if (media.form === 'object') requireSingle(row ? 1 : 0)
  const record = row?.record ?? ''
  const body = media.form === 'object' ? record : `[${record}]`
  return { body, length: record ? 1 : 0, count: row ? 1 : 0, key: undefined, hasNew: true }
}
