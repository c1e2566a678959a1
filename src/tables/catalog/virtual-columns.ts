import { type Message, translatable } from '../../messages/message'
import { shownOptions } from '../column-types/computed'
import { isVirtual } from '../computed-value'
import type { Column, Table } from '../model'
import { qualifiedName } from '../sql-text'
import type { Resolve, ResolvedColumn } from './computed-columns'
import { type ComputedColumn, computedColumn } from './computed-columns'
import { NoValues, type TableIndex } from './links/linked-records'
import { reverseColumn } from './links/reverse-columns'
import { formulaColumn } from './read-formulas'

/** How many levels of computed columns may be nested. */
const maxDepth = 10

/**
 * The tables with their virtual columns (`reverseLinks`, `lookup`, `rollup`, `count`, and formulas that are computed at
 * each read) as they can be read now. If a table or column that they need was changed in the database, the column has
 * no values, and `options.problem` says why.
 * @param tables as `toTable` returns them
 */
export function withVirtualColumns(tables: readonly Table[]): Table[] {
  const index: TableIndex = {
    byId: new Map(tables.map((table) => [table.id, table])),
    byName: new Map(tables.map((table) => [qualifiedName(table), table])),
  }
  const resolved = new Map<Column, ResolvedColumn>()
  const inProgress = new Set<Column>()

  const resolve = (table: Table, column: Column): ResolvedColumn => {
    const known = resolved.get(column)
    if (known) return known
    if (!isVirtual(column)) return { column, depth: 0 }
    if (inProgress.has(column))
      return { column: withoutValues(column, translatable('It reads its own value through other columns.')), depth: 1 }
    inProgress.add(column)
    const result = attempt(column, () => {
      if (column.type === 'reverseLinks') return reverseColumn(index, table, column)
      return column.type === 'formula' ? formulaColumn(index, table, column, find) : computedColumn(index, table, column, find)
    })
    inProgress.delete(column)
    resolved.set(column, result)
    return result
  }
  const find: Resolve = (table, columnId) => {
    const column = table.columns.find(({ id }) => id === columnId)
    if (!column) throw new NoValues(translatable('"{name}" no longer has the column that it reads.', { name: table.name }))
    // Not even the name of a hidden column may be revealed.
    if (column.access && !column.isReadable) throw new NoValues(translatable('A column that it reads cannot be read.'), true)
    const result = resolve(table, column)
    const { problem } = result.column.options
    if (isVirtual(column) && problem !== undefined)
      throw new NoValues(
        translatable('"{table}"."{column}" has no values: {problem}', {
          table: table.name,
          column: column.name,
          problem: problem as Message,
        }),
      )
    if (!column.isReadable)
      throw new NoValues(translatable('The column "{column}" of "{table}" cannot be read.', { column: column.name, table: table.name }))
    return result
  }
  return tables.map((table) => {
    if (!table.columns.some(isVirtual)) return table
    const columns = table.columns.map((column) => resolve(table, column).column)
    return { ...table, columns, columnsHash: hashWith(table.columnsHash, columns.filter(isVirtual)) }
  })
}

function attempt(column: Column, compute: () => ComputedColumn): ResolvedColumn {
  try {
    const computed = compute()
    if (computed.depth > maxDepth)
      throw new NoValues(translatable('More than {maxDepth} computed columns depend on one another.', { maxDepth }))
    return { column: toColumn(column, computed), depth: computed.depth }
  } catch (error) {
    if (error instanceof NoValues)
      return { column: withoutValues(error.readsHidden ? { ...column, options: {} } : column, error.text), depth: 1 }
    throw error
  }
}

const toColumn = (column: Column, { depth: _, shown, ...value }: ComputedColumn): Column => ({
  ...column,
  ...value,
  options: { ...storedOptions(column), ...shown },
})

/** The options without those that the service adds to responses. */
export function storedOptions({ type, options }: Pick<Column, 'type' | 'options'>): Record<string, unknown> {
  const left = type === 'reverseLinks' ? ['problem', 'description'] : ['description', ...shownOptions]
  return Object.fromEntries(Object.entries(options).filter(([name]) => !left.includes(name)))
}

function withoutValues(column: Column, problem: Message): Column {
  const type = column.type === 'reverseLinks' ? 'text[]' : 'text'
  const options = { ...storedOptions(column), problem }
  return {
    ...column,
    options,
    sqlType: type,
    comparedAs: type,
    computed: { from: [], columns: [], value: `null::${type}` },
    isWritable: false,
  }
}

const hashWith = (hash: string, columns: Column[]): string => {
  const shown = columns.map(({ name, sqlType, computed, joinTable }) => [name, sqlType, computed, joinTable])
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([hash, shown]))
    .digest('hex')
    .slice(0, hash.length)
}
