import { canariesIn } from './canary'
import { type Line, type Me, type Row, type Rule, ruleOf, type State } from './document'
import { columnNamed, isStored, tableNamed, type World, type WorldColumn, type WorldTable } from './world'

export type Person = Me & { role: 'editor' | 'viewer' }

/** What a caller may see and change according to a document, computed row by row in plain JavaScript. */
export type Sight = {
  /** Whether any line gives the caller access to the table. */
  isOpen: (table: WorldTable) => boolean
  canRead: (table: WorldTable, row: Row) => boolean
  /** Whether the column exists for the caller in at least one row. */
  hasColumn: (table: WorldTable, column: WorldColumn) => boolean
  /** Whether the cell may be seen. */
  shows: (table: WorldTable, row: Row, column: WorldColumn) => boolean
  /** The value that a response may show; null if it may show none. */
  cell: (table: WorldTable, row: Row, column: WorldColumn) => unknown
  /** The readable rows, each with its visible columns. */
  rows: (table: WorldTable) => Row[]
  can: (table: WorldTable, action: 'create' | 'update' | 'delete', row: Row, column?: string) => boolean
  /** Whether the links in the column may be written from their other side: not if a rule for changes follows links. */
  isOpenFromBack: (table: WorldTable, column: string) => boolean
  state: State
}

type Grant = { read: Rule; create: Rule; update: Rule; delete: Rule; reads: string[] | null; writes: string[] | null }

const everything: Rule = { text: 'all', allows: () => true }

export function sightOf(world: World, lines: readonly Line[], person: Person, state: State): Sight {
  const grantsOf = new Map(world.tables.map((table) => [table.name, grantsFor(world, lines, person, table)]))
  const allows = (rule: Rule, row: Row) => rule.allows(row, person, state)
  const grants = (table: WorldTable) => grantsOf.get(table.name)!
  const shows = (table: WorldTable, { reads }: Grant, name: string) => reads === null || reads.includes(name) || name === table.key

  const sight: Sight = {
    state,
    isOpen: (table) =>
      grants(table).some(({ read, create, update, delete: remove }) => [read, create, update, remove].some(({ text }) => text !== 'none')),
    canRead: (table, row) => grants(table).some(({ read }) => allows(read, row)),
    hasColumn: (table, column) => grants(table).some((grant) => grant.read.text !== 'none' && shows(table, grant, column.name)),
    shows: (table, row, column) => grants(table).some((grant) => shows(table, grant, column.name) && allows(grant.read, row)),
    cell: (table, row, column) => (sight.shows(table, row, column) ? valueIn(world, sight, table, row, column) : null),
    rows: (table) =>
      state[table.name]!.filter((row) => sight.canRead(table, row)).map((row) =>
        Object.fromEntries(
          table.columns.filter((column) => sight.hasColumn(table, column)).map((column) => [column.name, sight.cell(table, row, column)]),
        ),
      ),
    can: (table, action, row, column) =>
      grants(table).some(
        (grant) =>
          allows(grant[action], row) &&
          (action === 'delete' || column === undefined || grant.writes === null || grant.writes.includes(column)),
      ),
    isOpenFromBack: (table, column) => {
      const rules = grants(table).flatMap(({ writes, update }) => (writes?.includes(column) === false ? [] : [update.text]))
      return rules.includes('all') || !rules.some((text) => text.startsWith('links.'))
    },
  }
  return sight
}

function grantsFor(world: World, lines: readonly Line[], { role, groups }: Person, table: WorldTable): Grant[] {
  const naming = lines.filter((line) => line.table === '*' || line.table === table.name)
  const own = naming.filter(({ group }) => group === 'everyone' || group === `role:${role}` || groups.includes(group))
  if (naming.length === 0)
    return [{ read: everything, create: everything, update: everything, delete: everything, reads: null, writes: null }]
  return own.map(({ table: name, rules, reads, writes }) => {
    const rule = (number: number) => ruleOf(world, name === '*' ? null : table, number)
    return { read: rule(rules.read), create: rule(rules.create), update: rule(rules.update), delete: rule(rules.delete), reads, writes }
  })
}

/** Links, and values computed along them, show only readable records and their visible values. */
function valueIn(world: World, sight: Sight, table: WorldTable, row: Row, column: WorldColumn): unknown {
  if (isStored(column)) return row[column.name] ?? null
  if (column.kind === 'links' || column.kind === 'back' || column.kind === 'backs')
    return isComputable(world, sight, table, column)
      ? linkedTo(world, sight, table, row, column).map((other) => other[targetOf(world, column).key])
      : null
  if (!isComputable(world, sight, table, column)) return null
  if (column.kind === 'echo') return sight.cell(table, row, columnNamed(table, column.of!)!)
  const way = columnNamed(table, column.via!)!
  if (!sight.shows(table, row, way)) return null
  const linked = linkedTo(world, sight, table, row, way)
  if (column.kind === 'count') return linked.length
  const target = targetOf(world, way)
  const values = linked.map((other) => sight.cell(target, other, columnNamed(target, column.of!)!)).filter((value) => value !== null)
  if (column.kind === 'lookup') return values[0] ?? null
  if (column.function === 'list') return values.join(', ')
  const numbers = values as number[]
  if (column.function === 'max') return numbers.length ? Math.max(...numbers) : null
  return numbers.reduce((sum, value) => sum + value, 0)
}

const targetOf = (world: World, { target }: WorldColumn): WorldTable => tableNamed(world, target!)

/** A column that reads other columns has no values if one of them is hidden. */
function isComputable(world: World, sight: Sight, table: WorldTable, column: WorldColumn): boolean {
  if (column.kind === 'back' || column.kind === 'backs') {
    const source = targetOf(world, column)
    return sight.isOpen(source) && sight.hasColumn(source, columnNamed(source, column.column!)!)
  }
  if (column.kind === 'echo') {
    const read = columnNamed(table, column.of!)!
    return sight.hasColumn(table, read) && isComputable(world, sight, table, read)
  }
  if (column.via === undefined) return true
  const way = columnNamed(table, column.via)!
  const target = targetOf(world, way)
  if (!sight.hasColumn(table, way) || !isComputable(world, sight, table, way) || !sight.isOpen(target)) return false
  if (column.of === undefined) return true
  const read = columnNamed(target, column.of)!
  return sight.hasColumn(target, read) && isComputable(world, sight, target, read)
}

/** The readable records at the other end, in the order of their keys. */
export function linkedTo(world: World, sight: Sight, table: WorldTable, row: Row, way: WorldColumn): Row[] {
  const target = targetOf(world, way)
  const readable = sight.state[target.name]!.filter((other) => sight.canRead(target, other))
  if (way.kind === 'link') return readable.filter((other) => row[way.name] !== null && other[target.key] === row[way.name])
  if (way.kind === 'back')
    return readable.filter((other) => sight.cell(target, other, columnNamed(target, way.column!)!) === row[table.key])
  const pairs = sight.state[way.between!]!.map((pair) => Object.values(pair))
  if (way.kind === 'links') return readable.filter((other) => pairs.some(([own, linked]) => own === row.id && linked === other.id))
  const listing = columnNamed(target, way.column!)!
  return readable.filter(
    (other) => pairs.some(([own, linked]) => own === other.id && linked === row.id) && sight.shows(target, other, listing),
  )
}

/** The canaries that a response may contain. A cell that a table hides but one of its views shows is not secret. */
export const visibleCanaries = ({ tables }: World, sight: Sight, isReached: (table: WorldTable) => boolean): string[] =>
  tables.filter(isReached).flatMap((table) => canariesIn(sight.rows(table)))
