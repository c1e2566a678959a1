import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { queryClient, tablesQuery } from '../../api/queries'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { createColumn } from '../../records/values/column-data'
import type { ColumnDraft, DraftProps } from './column-draft'

/** Rowhouse adds columns only to tables that it created. */
const canHaveReverse = ({ primaryKey }: TableView, target: TableView | undefined): target is TableView =>
  target !== undefined && target.createdAt !== null && primaryKey.length === 1

/** Whether a new column gets a column for the other side, which is the default for links. */
export const hasReverse = ({ type, hasReverse: isWanted = true }: ColumnDraft): boolean => isWanted && ['link', 'manyLinks'].includes(type)

/** Whether the linked table also gets a column that shows the records linking to it. */
export function ReverseCheckbox({ draft, set, table }: DraftProps & { table: TableView }) {
  const { columns: words } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const target = tables.find(({ id }) => id === draft.options.table)
  if (!['link', 'manyLinks'].includes(draft.type) || !canHaveReverse(table, target)) return null
  return (
    <Checkbox
      label={words.hasReverse(target.name)}
      checked={hasReverse(draft)}
      onChange={(event) => set({ ...draft, hasReverse: event.currentTarget.checked })}
    />
  )
}

/** Adds the other side of a new link, named after the table that links. */
export async function createReverse(table: TableView, link: ColumnInfo): Promise<void> {
  const target = (await queryClient.fetchQuery(tablesQuery)).find(({ id }) => id === link.options.table)
  if (!canHaveReverse(table, target)) return
  const taken = new Set(target.columns.map(({ name }) => name))
  const candidates = [table.name, `${table.name} (${link.name})`, ...Array.from({ length: 100 }, (_, at) => `${table.name} ${at + 2}`)]
  const name = candidates.find((candidate) => !taken.has(candidate))!
  await createColumn(target, { name, type: 'reverseLinks', options: { table: table.id, column: link.id } })
}
