import type { Tables } from '../catalog/catalog'
import { columnsIn } from '../formulas/formula'
import type { Column, Table } from '../model'

/** Whether a formula of the column's table names the column. */
export async function isUsedBy({ id, name }: Column, { options, readFormula }: Column): Promise<boolean> {
  if (readFormula) return readFormula.uses.some((use) => use.id === id)
  return (await columnsIn(String(options.expression))).includes(name)
}

/** Formulas computed at each read that get the column's values, also by lookups, rollups and other formulas. */
export async function readFormulasOver(tables: Tables, table: Table, column: Column): Promise<{ name: string; sql: string }[]> {
  const reached = new Set([column.id])
  for (const formula of table.columns.filter(({ type, readFormula }) => type === 'formula' && !readFormula))
    if (await isUsedBy(column, formula)) reached.add(formula.id)
  const columns = tables.list.flatMap((other) => other.columns.map((each) => ({ table: other, column: each })))
  for (let size = 0; size < reached.size; ) {
    size = reached.size
    for (const { id, options, readFormula } of columns.map((each) => each.column))
      if (reached.has(String(options.column)) || readFormula?.uses.some((use) => reached.has(use.id))) reached.add(id)
  }
  return columns.flatMap(({ table: { id, name }, column: { id: columnId, name: columnName, readFormula } }) =>
    readFormula && reached.has(columnId) ? [{ name: id === table.id ? columnName : `${name}.${columnName}`, sql: readFormula.sql }] : [],
  )
}
