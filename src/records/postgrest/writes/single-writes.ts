import type { Executor } from '../../../db/pool/open'
import { wholePlan } from '../../query/plan/read'
import { insertBatched, updateBatched } from '../../store/writes/batched-writes'
import type { WrittenRow } from '../../store/writes/written-row'
import { throwRestError } from '../errors/engine-errors'
import { requireSingle } from '../reads'
import type { RestPayload } from '../request/body'
import type { WriteOutcome } from './representation'
import type { RestWrite } from './write-plan'

/** Batched with similar writes in one statement, as on the native route. */
export async function insertOneRow(executor: Executor, write: RestWrite, names: string[], body: RestPayload): Promise<WriteOutcome> {
  // A trigger may have redirected or suppressed the row: PostgREST does not report that.
  return outcomeOfOne(
    write,
    await insertBatched(executor, { ...sharedBy(write, names), ...single(body) }).catch((error) => throwRestError(error, write)),
  )
}

/** Like `insertOneRow`. */
export async function updateOneRow(
  executor: Executor,
  write: RestWrite,
  names: string[],
  body: RestPayload,
  key: string,
): Promise<WriteOutcome> {
  const change = { ...sharedBy(write, names), ...single(body), key: [key], versions: null }
  return outcomeOfOne(write, await updateBatched(executor, change).catch((error) => throwRestError(error, write)))
}

/** The same outputs as for the native route, since all writes that share a statement have the same outputs. */
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
