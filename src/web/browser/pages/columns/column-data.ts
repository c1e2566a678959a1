import { queryOptions } from '@tanstack/react-query'
import type { ConversionReport, TableView } from '../../../../tables/model'
import { refusalOf } from '../../api/api-error'
import { api, send, take } from '../../api/client'
import { queryClient } from '../../api/queries'
import { jsonHeaders, tableAddress } from '../../api/urls'
import type { Column } from './column-kinds'

/** @throws Refusal */
async function ask<T>(path: string, method: string, body: object): Promise<T> {
  // Not by Eden, whose types know nothing of numbers with all their digits.
  const response = await send(path, { method, headers: jsonHeaders, body: JSON.stringify(body) })
  if (!response.ok) throw await refusalOf(response)
  return (await response.json()) as T
}

const pathOf = (table: TableView, column?: Column) => `${tableAddress(table.id)}/columns${column ? `/${column.id}` : ''}`

export const addColumn = (table: TableView, body: object) => ask<Column>(pathOf(table), 'POST', body)

export const changeColumn = (table: TableView, column: Column, body: object) => ask<Column>(pathOf(table, column), 'PATCH', body)

/** What would become of the values; nothing is changed. */
export const tryColumn = (table: TableView, column: Column, body: object) =>
  ask<ConversionReport>(`${pathOf(table, column)}?dryRun=true`, 'PATCH', body)

export const deleteColumn = ({ id }: TableView, column: Column) =>
  take(
    api
      .tables({ tableId: id })
      .columns({ columnId: column.id })
      .delete(undefined, { query: { confirm: column.name } }),
  )

/** Tables and records read differently now, also the first records that were asked for ahead. */
export function forgetTable() {
  // With the names of before, they would be shown with empty fields until they are read again.
  queryClient.removeQueries({ queryKey: ['record'], type: 'inactive' })
  return Promise.all(['tables', 'records', 'record', 'beginning'].map((first) => queryClient.invalidateQueries({ queryKey: [first] })))
}

/** Why a table that Rowhouse did not make is not served fully; empty where it is. */
export const reasonsQuery = ({ schema, name }: TableView) =>
  queryOptions({
    queryKey: ['report', schema, name],
    queryFn: async () => {
      const { tables } = await take(api.schemas({ schema: encodeURIComponent(schema) }).report.get())
      return tables.find((table) => table.name === name)?.reasons ?? []
    },
  })
