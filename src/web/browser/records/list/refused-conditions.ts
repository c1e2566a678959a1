import { ApiError } from '../../api/api-error'
import { filterRules, noFilter } from '../filters/filter-tree'
import type { GridColumn } from '../values/cell-values'
import { fetchPage } from './first-page'
import { type ListQuery, queryStringFor, restKey, ruleKey } from './list-query'

/** Whether the service refuses the request itself, rather than being temporarily unable to answer it. */
export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && [400, 422].includes(error.status)

type AskedTable = { id: string; columns: readonly GridColumn[] }

/**
 * Sends each condition separately.
 * @returns the service's messages about those that it refuses, by `ruleKey` and `restKey`
 */
export async function findRefused(table: AskedTable, query: ListQuery): Promise<Map<string, string>> {
  const alone = { q: '', sort: [], filter: noFilter, rest: [] }
  const conditions: [key: string, query: ListQuery][] = [
    ...filterRules(query.filter).map((rule): [string, ListQuery] => [ruleKey(rule), { ...alone, filter: { ...noFilter, items: [rule] } }]),
    ...query.rest.map((parameter): [string, ListQuery] => [restKey(parameter), { ...alone, rest: [parameter] }]),
  ]
  const messages = await Promise.all(
    conditions.map(([, condition]) =>
      fetchPage(table.id, [queryStringFor(condition, table), 'limit=1']).then(
        () => null,
        (error: unknown) => (isRefusal(error) ? error.message : null),
      ),
    ),
  )
  return new Map(conditions.flatMap(([key], index) => (messages[index] ? [[key, messages[index]] as const] : [])))
}
