import type { Tables } from '../catalog/catalog'
import { columnsIn } from '../formulas/formula'
import type { Column, Table } from '../model'

/** Whether a formula of the column's table names the column. */
export async function isUsedBy({ id, name }: Column, { options, readFormula }: Column): Promise<boolean> {
  if (readFormula) return readFormula.uses.some((use) => use.id === id)
  return (await columnsIn(String(options.expression))).includes(name)
}

type PlacedColumn = { table: Table; column: Column }

/**
 * The column, and all lookups, rollups and formulas that get its values, also through one another.
 * @param tables before the change, with the names that stored texts still have
 */
export async function columnsOver(tables: Tables, { id: tableId }: Table, column: Column): Promise<PlacedColumn[]> {
  const columns = tables.list.flatMap((table) => table.columns.map((each) => ({ table, column: each })))
  const own = columns.filter(({ table }) => table.id === tableId).map((each) => each.column)
  const before = own.find(({ id }) => id === column.id) ?? column
  const reached = new Set([column.id])
  for (const formula of own.filter(({ type, readFormula }) => type === 'formula' && !readFormula))
    if (await isUsedBy(before, formula)) reached.add(formula.id)
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    // The values of `reverseLinks` are keys of the records that have the link.
    for (const { id, type, options, readFormula } of columns.map((each) => each.column))
      if ((type !== 'reverseLinks' && reached.has(String(options.column))) || readFormula?.uses.some((use) => reached.has(use.id)))
        reached.add(id)
  }
  return columns.filter((each) => reached.has(each.column.id))
}
