import type { Query } from '../../db/pool/open'
import type { ColumnDescription, TableDescription } from '../ddl'
import { insertColumnMetadata } from './metadata'

/**
 * Moves a column of the table; the others keep their order. Columns that were added in the database get metadata, which
 * stores the position.
 * @param table with the column, in the present order
 * @param position from 0; a larger one than the last means the end
 */
export async function setColumnPosition(query: Query, table: TableDescription, id: string, position: number): Promise<void> {
  const others = table.columns.filter((column) => column.id !== id)
  const moved = table.columns.find((column) => column.id === id)!
  const ordered: ColumnDescription[] = [...others.slice(0, position), moved, ...others.slice(position)]
  const rows = await query<{ id: string }>('select id from rowhouse.columns where table_id = $1::uuid', [table.id])
  const stored = new Set(rows.map((row) => row.id))
  for (const column of ordered) if (!stored.has(column.id)) await insertColumnMetadata(query, table.id, column)
  await query(
    `update rowhouse.columns c set position = o.position from jsonb_to_recordset($2::jsonb) as o (id uuid, position integer)
     where c.id = o.id and c.table_id = $1::uuid and c.position <> o.position`,
    [table.id, JSON.stringify(ordered.map((column, index) => ({ id: column.id, position: index })))],
  )
}
