import { isBare } from '../../query/parameters'
import { parseQuery } from '../../query/parse/query'
import { planRead } from '../../query/plan/read'
import type { ReadPlan } from '../../query/plan/types'
import type { RecordQuery } from '../../query/tree'
import { throwRestError } from '../errors/engine-errors'
import type { TableCall } from '../request/call'

/** A call whose query is planned. `returned` is what is answered of the written rows; undefined for nothing. */
export type RestWrite = TableCall & { query: RecordQuery; plan: ReadPlan; returned: ReadPlan | undefined }

/** @throws RestFailure */
export function planWrite(call: TableCall): RestWrite {
  try {
    const query = parseQuery(call.search, 'postgrest')
    const plan = planRead(call.tables, call.table, query)
    return { ...call, query, plan, returned: call.preferences.return === 'representation' ? plan : undefined }
  } catch (error) {
    throwRestError(error)
  }
}

/** Whether all that is to be seen of a row is what stands in it, or nothing, and all that is done is to write it. */
export const isUsual = ({ query, preferences, media }: RestWrite) =>
  isBare(query) &&
  !query.order.length &&
  !preferences.tx &&
  media.form !== 'csv' &&
  !media.isStripped &&
  preferences.return !== 'headers-only'
