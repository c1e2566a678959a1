import { queryOptions } from '@tanstack/react-query'
import { api, send, take } from '../../api'
import { refusalOf } from '../../refusal'

export type TableRecord = Record<string, unknown>

export const tableQuery = (tableId: string) =>
  queryOptions({ queryKey: ['tables', tableId], queryFn: () => take(api.tables({ tableId: encodeURIComponent(tableId) }).get()) })

/** Numbers are shown as they were sent: JavaScript would shorten long ones, so each becomes its own text. */
const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? source : value

/** The first records of a table, by its key. */
export const firstRecordsQuery = (tableId: string, limit: number) =>
  queryOptions({
    queryKey: ['records', tableId, { limit }],
    queryFn: async (): Promise<TableRecord[]> => {
      const response = await send(`/api/v1/tables/${encodeURIComponent(tableId)}/records?limit=${limit}`)
      if (!response.ok) throw await refusalOf(response)
      const parse: (text: string, reviver: typeof exact) => { records: TableRecord[] } = JSON.parse
      return parse(await response.text(), exact).records
    },
  })
