import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { queryClient, tablesQuery } from '../../api/queries'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { createColumn } from '../../records/values/column-data'
import type { DraftProps } from './column-dialog'

/** Whether the linked table also gets a column that shows the records which link to it. */
export function ReverseCheckbox({ draft, set, table }: DraftProps & { table: TableView }) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const target = tables.find(({ id }) => id === draft.options.table)
  // Rowhouse adds columns only to tables that it created.
  if (!(draft.type === 'link' || draft.type === 'manyLinks') || !target?.createdAt || table.primaryKey.length !== 1) return null
  return (
    <Checkbox
      label={words.hasReverse(target.name)}
      checked={draft.hasReverse ?? false}
      onChange={(event) => set({ ...draft, hasReverse: event.currentTarget.checked })}
    />
  )
}

/** Adds the other side of a new link, named after the table that links. */
export async function createReverse(table: TableView, link: ColumnInfo): Promise<void> {
  const target = (await queryClient.fetchQuery(tablesQuery)).find(({ id }) => id === link.options.table)
  if (!target) return
  const taken = new Set(target.columns.map(({ name }) => name))
  const candidates = [table.name, `${table.name} (${link.name})`, ...Array.from({ length: 100 }, (_, at) => `${table.name} ${at + 2}`)]
  const name = candidates.find((candidate) => !taken.has(candidate))!
  await createColumn(target, { name, type: 'reverseLinks', options: { table: table.id, column: link.id } })
}
