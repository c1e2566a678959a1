import { queryOptions } from '@tanstack/react-query'
import type { ConversionReport } from '../../../../tables/definitions/conversion-model'
import type { ProposedDisplay } from '../../../../tables/formulas/language/amounts'
import type { TableView } from '../../../../tables/model'
import { toApiError } from '../../api/api-error'
import { api, send, unwrap } from '../../api/client'
import { queryClient, tablesQuery } from '../../api/queries'
import { jsonHeaders, tableUrl } from '../../api/urls'
import type { ColumnInfo } from './column'
import { linkLabels } from './link-labels'

/** @throws ApiError */
async function request<T>(path: string, method: string, body: object): Promise<T> {
  // Not Eden: its types do not represent numbers with full precision.
  const response = await send(path, { method, headers: jsonHeaders, body: JSON.stringify(body) })
  if (!response.ok) throw await toApiError(response)
  return (await response.json()) as T
}

const columnUrl = (table: TableView, column?: ColumnInfo) => `${tableUrl(table.id)}/columns${column ? `/${column.id}` : ''}`

export const createColumn = (table: TableView, body: object) => request<ColumnInfo>(columnUrl(table), 'POST', body)

export const updateColumn = (table: TableView, column: ColumnInfo, body: object) =>
  request<ColumnInfo>(columnUrl(table, column), 'PATCH', body)

/** Appends choices to the column's current ones. @throws ApiError */
export async function addColumnChoices(table: TableView, column: ColumnInfo, added: readonly string[]): Promise<void> {
  const tables = await queryClient.fetchQuery({ ...tablesQuery, staleTime: 0 })
  const current = tables.find(({ id }) => id === table.id)?.columns.find(({ id }) => id === column.id) ?? column
  const existing = (current.options.choices as (string | { value: string })[] | undefined) ?? []
  const values = new Set(existing.map((choice) => (typeof choice === 'string' ? choice : choice.value)))
  // Someone else, or an attempt that failed later, may have added some of them.
  const choices = [...existing, ...added.filter((value) => !values.has(value))]
  await updateColumn(table, current, { options: { ...current.options, choices } })
}

/** Chooses the column that names the table's records in links to them. */
export const chooseRecordName = (table: TableView, column: ColumnInfo) =>
  request<TableView>(tableUrl(table.id), 'PATCH', { displayColumn: column.id })

/** The index itself is built afterwards. */
export const switchSearchIndex = (table: TableView, searchIndex: boolean) =>
  request<TableView>(tableUrl(table.id), 'PATCH', { searchIndex })

const buildPollMs = 2000

/** The progress of building the search index. */
export const searchIndexQuery = ({ id }: TableView) =>
  queryOptions({
    queryKey: ['search-index', id],
    queryFn: () => unwrap(api.tables({ tableId: id })['search-index'].get()),
    refetchInterval: ({ state }) => (state.data?.state === 'building' ? buildPollMs : false),
  })

/** A dry run: reports the result of the conversion and changes nothing. */
export const dryRunColumn = (table: TableView, column: ColumnInfo, body: object) =>
  request<ConversionReport>(`${columnUrl(table, column)}?dryRun=true`, 'PATCH', body)

export type FormulaValues = {
  options: ColumnInfo['options']
  proposed: ProposedDisplay
  records: { name: unknown; value: unknown }[]
}

/** The values that a formula would have in the first records. */
export const fetchFormulaPreview = (table: TableView, options: object) =>
  request<FormulaValues>(`${columnUrl(table)}/preview`, 'POST', { type: 'formula', options })

export const removeColumn = ({ id }: TableView, column: ColumnInfo) =>
  unwrap(
    api
      .tables({ tableId: id })
      .columns({ columnId: column.id })
      .delete(undefined, { query: { confirm: column.name } }),
  )

/** Invalidates the table, its records, prefetched first pages and the names of its records in links. */
export async function invalidateTable() {
  // Records cached under old column names would show empty fields until they are fetched again.
  queryClient.removeQueries({ queryKey: ['record'], type: 'inactive' })
  await Promise.all(['tables', 'records', 'record', 'first-page'].map((first) => queryClient.invalidateQueries({ queryKey: [first] })))
  linkLabels.refresh()
}

/** Why a table that Rowhouse did not create is not fully served; empty if it is. */
export const reasonsQuery = ({ schema, name }: TableView) =>
  queryOptions({
    queryKey: ['report', schema, name],
    queryFn: async () => {
      const { tables } = await unwrap(api.schemas({ schema: encodeURIComponent(schema) }).report.get())
      return tables.find((table) => table.name === name)?.reasons ?? []
    },
  })
