import type { Column, ForeignKey, Table } from '../../model'
import { allowsRead } from '../../row-rules'
import type { Tables } from '../catalog'

/**
 * How rows of `from` lead to rows of `to`. Column names pair up: `columns` are pairs of a column of `from` and one of
 * `to`.
 */
export type Relationship = {
  from: Table
  to: Table
  /**
   * `toOne` if a row has at most one counterpart: it holds the foreign key, or the other side's foreign key is unique.
   */
  cardinality: 'toOne' | 'toMany' | 'manyToMany'
  /** Which side holds the foreign key; `through` for `manyToMany`. */
  holder: 'from' | 'to' | 'through'
  /**
   * The foreign key that makes the relationship; for `manyToMany` the one from the join table to `to`. `!hint` may name
   * it.
   */
  constraint: string
  columns: [string, string][]
  /** The join table, with its pairs of columns: `columns` link it to `from`, and `targetColumns` to `to`. */
  through?: { table: Table; constraint: string; columns: [string, string][]; targetColumns: [string, string][] }
  /** The columns that reveal the relationship and that access rules narrow for the caller, each with its side. */
  narrowed?: { side: 'from' | 'to' | 'through'; column: Column }[]
}

const cachedRelationships = new WeakMap<Tables, Map<Table, Relationship[]>>()

/** All relationships by foreign keys from a table to the tables that the caller may access, including itself. */
export function relationshipsFrom(tables: Tables, from: Table): Relationship[] {
  const ofTables = cachedRelationships.get(tables) ?? new Map<Table, Relationship[]>()
  cachedRelationships.set(tables, ofTables)
  const found =
    ofTables.get(from) ?? [...outgoing(tables, from), ...incoming(tables, from), ...through(tables, from)].map(narrow).filter(isReadable)
  ofTables.set(from, found)
  return found
}

/** A table that the caller may write but not read, or that a hidden link leads to, cannot be embedded. */
const isReadable = ({ to, through: between, narrowed = [] }: Relationship) =>
  allowsRead(to) && (!between || allowsRead(between.table)) && narrowed.every(({ column }) => column.isReadable)

function narrow(relationship: Relationship): Relationship {
  const narrowed = telling(relationship).filter(({ column }) => column.access)
  return narrowed.length > 0 ? { ...relationship, narrowed } : relationship
}

/** The columns whose values determine which rows belong together: the foreign key, or a column of links to many. */
function telling({ from, to, holder, columns, through: between }: Relationship): NonNullable<Relationship['narrowed']> {
  const ofTable = (side: 'from' | 'to' | 'through', { columns: own }: Table, names: readonly string[]) =>
    own.filter(({ name }) => names.includes(name)).map((column) => ({ side, column }))
  if (!between)
    return holder === 'from'
      ? ofTable(
          'from',
          from,
          columns.map(([own]) => own),
        )
      : ofTable(
          'to',
          to,
          columns.map(([, own]) => own),
        )
  const { table } = between
  if (!table.isJoinTable) {
    const names = [...between.columns.map(([, own]) => own), ...between.targetColumns.map(([own]) => own)]
    return ofTable('through', table, names)
  }
  const isOf = ({ type, joinTable }: Column) => type === 'manyLinks' && joinTable !== undefined && isSameTable(joinTable, table)
  return [from, to].flatMap((end, index) =>
    ofTable(
      index === 0 ? 'from' : 'to',
      end,
      end.columns.filter(isOf).map(({ name }) => name),
    ),
  )
}

const isSameTable = (one: { schema: string; name: string }, other: { schema: string; name: string }) =>
  one.schema === other.schema && one.name === other.name

const foreignKeyTarget = (tables: Tables, { target }: ForeignKey) => tables.list.find((table) => isSameTable(table, target))

const pairs = (columns: string[], others: string[]): [string, string][] => columns.map((column, index) => [column, others[index]!])

function outgoing(tables: Tables, from: Table): Relationship[] {
  return from.foreignKeys.flatMap((key) => {
    const to = foreignKeyTarget(tables, key)
    const columns = pairs(key.columns, key.targetColumns)
    return to ? [{ from, to, cardinality: 'toOne' as const, holder: 'from' as const, constraint: key.name, columns }] : []
  })
}

const isUnique = (table: Table, columns: string[]) => table.uniqueKeys.some((key) => key.every((name) => columns.includes(name)))

function incoming(tables: Tables, from: Table): Relationship[] {
  return tables.list.flatMap((to) =>
    to.foreignKeys
      .filter(({ target }) => isSameTable(target, from))
      .map((key) => ({
        from,
        to,
        cardinality: isUnique(to, key.columns) ? ('toOne' as const) : ('toMany' as const),
        holder: 'to' as const,
        constraint: key.name,
        columns: pairs(key.targetColumns, key.columns),
      })),
  )
}

/** A join table has both foreign keys in its primary key, so it holds each pair at most once. */
function through(tables: Tables, from: Table): Relationship[] {
  return tables.list.flatMap((table) => {
    const isJoining = (key: ForeignKey) => key.columns.every((name) => table.primaryKey.includes(name))
    const keys = table.foreignKeys.filter(isJoining)
    return keys
      .filter(({ target }) => isSameTable(target, from))
      .flatMap((own) => keys.filter((other) => other !== own).flatMap((other) => throughBoth(tables, from, table, own, other)))
  })
}

function throughBoth(tables: Tables, from: Table, table: Table, own: ForeignKey, other: ForeignKey): Relationship[] {
  const to = foreignKeyTarget(tables, other)
  if (!to) return []
  const between = {
    table,
    constraint: own.name,
    columns: pairs(own.targetColumns, own.columns),
    targetColumns: pairs(other.columns, other.targetColumns),
  }
  return [{ from, to, cardinality: 'manyToMany', holder: 'through', constraint: other.name, columns: [], through: between }]
}

/**
 * The relationships that `relation!hint` may mean: `relation` is the other table, a foreign key, or the only column of
 * one; `hint` is a foreign key, its column, or the join table. If there are several, the caller has to give a hint.
 */
export function findRelationships(tables: Tables, from: Table, relation: string, hint?: string): Relationship[] {
  const named = relationshipsFrom(tables, from).filter((candidate) => isNamed(candidate, relation))
  const found = hint === undefined ? ofColumn(named, relation) : named.filter((candidate) => isHinted(candidate, hint))
  return ofSelfReference(found) ?? found
}

/** The relationship that a link column makes, even if a table or another link has the same name. */
export function relationshipOfColumn(tables: Tables, from: Table, name: string): Relationship | undefined {
  const found = relationshipsFrom(tables, from).filter((candidate) => isOwnLink(candidate, name) || isVirtualLink(candidate, name))
  return found.length === 1 ? found[0] : undefined
}

const isOwnLink = ({ holder, columns }: Relationship, name: string): boolean =>
  holder === 'from' && columns.length === 1 && columns[0]![0] === name

const isNamed = (candidate: Relationship, name: string): boolean =>
  (candidate.to.name === name && !(candidate.from === candidate.to && candidate.holder === 'from')) ||
  isOwnLink(candidate, name) ||
  (candidate.holder !== 'through' && candidate.constraint === name) ||
  isVirtualLink(candidate, name)

/** Link columns that PostgreSQL does not have, although people know the links by these names. */
const isVirtualLink = (
  { from, to, holder, columns, through }: Pick<Relationship, 'from' | 'to' | 'holder' | 'columns' | 'through'>,
  name: string,
) =>
  from.columns.some(
    (column) =>
      column.name === name &&
      !(column.access && !column.isReadable) &&
      (through ? leadsThrough(column.joinTable, through) : holder === 'to' && leadsBack(column.joinTable, to, columns)),
  )

/**
 * A column that shows the other side of a link takes precedence over a table of the same name, to which several
 * relationships may lead.
 */
function ofColumn(named: Relationship[], name: string): Relationship[] {
  const shown = named.length > 1 ? named.filter((candidate) => candidate.holder !== 'from' && isVirtualLink(candidate, name)) : []
  return shown.length === 1 ? shown : named
}

/** The column `reverseLinks` of the foreign key that `to` holds. */
const leadsBack = (joinTable: Table['columns'][number]['joinTable'], to: Table, columns: [string, string][]) =>
  joinTable?.isTarget === true && isSameTable(joinTable, to) && columns.length === 1 && columns[0]![1] === joinTable.ownColumns[0]

const leadsThrough = (joinTable: Table['columns'][number]['joinTable'], { table, targetColumns }: NonNullable<Relationship['through']>) =>
  joinTable !== undefined &&
  isSameTable(joinTable, table) &&
  targetColumns.every(([name], index) => joinTable.targetColumns[index] === name)

function isHinted({ holder, columns, constraint, through }: Relationship, hint: string): boolean {
  if (through) return [through.table.name, through.constraint, constraint].includes(hint)
  if (constraint === hint) return true
  const [own, other] = columns.length === 1 ? columns[0]! : []
  return holder === 'from' ? [own, other].includes(hint) : other === hint
}

/**
 * A foreign key from a table to itself leads both ways. The name of the key or the table means the many side; only the
 * name of its column means the one side.
 */
function ofSelfReference(found: Relationship[]): Relationship[] | null {
  const [one, other] = found
  const isBothWays = found.length === 2 && one!.from === one!.to && one!.constraint === other!.constraint && one!.holder !== other!.holder
  return isBothWays ? found.filter(({ holder }) => holder === 'to') : null
}
