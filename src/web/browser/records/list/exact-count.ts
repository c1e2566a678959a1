import { keysFilter, maxKeysInUrl } from '../values/record-key'
import { fetchPage } from './first-page'

/** `unlisted` is the number of records that were created here and do not match the filter of the list. */
export type ExactCount = { total: number; unlisted: number }

type List = { tableId: string; primaryKey: readonly string[]; query: string }

const count = async ({ tableId, query }: List, filter = ''): Promise<number> => {
  const { totalCount } = await fetchPage(tableId, [query, filter, 'limit=1', 'count=exact'])
  if (totalCount === undefined) throw new Error('The answer has no count.')
  return totalCount
}

/** @param created keys of records that were created here @throws ApiError, also if counting exceeds the time limit */
export async function countExactly(list: List, created: readonly string[]): Promise<ExactCount> {
  const total = await count(list)
  let unlisted = created.length
  for (let at = 0; at < created.length; at += maxKeysInUrl) {
    const filter = keysFilter(list.primaryKey, created.slice(at, at + maxKeysInUrl))
      .map(encodeURIComponent)
      .join('=')
    unlisted -= await count(list, filter)
  }
  return { total, unlisted: Math.max(0, unlisted) }
}
