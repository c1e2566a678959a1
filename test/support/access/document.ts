import fc from 'fast-check'
import { columnNamed, referenceOf, tableNamed, type World, type WorldTable } from './world'

export type Row = Record<string, unknown>
/** The rows of all tables, as a superuser reads them, by the table's name. */
export type State = Record<string, Row[]>

export type Me = { id: string; email: string; groups: readonly string[] }

/** The condition of a rule: its text in a document, and the same condition in JavaScript. */
export type Rule = { text: string; allows: (row: Row, me: Me, state: State) => boolean }

export type Line = {
  group: string
  table: string
  rules: Record<'read' | 'create' | 'update' | 'delete', number>
  reads: string[] | null
  writes: string[] | null
}

const linkedRow = (world: World, table: WorldTable, row: Row, state: State): Row | undefined => {
  const { target } = columnNamed(table, 'link')!
  return state[target!]!.find((other) => row.link !== null && other[tableNamed(world, target!).key] === row.link)
}

const isMine = ({ owner }: Row, me: Me) => owner === me.id

const simpleRules: Rule[] = [
  { text: 'none', allows: () => false },
  { text: 'all', allows: () => true },
  { text: 'owner=eq.@me', allows: isMine },
  { text: 'team=in.@me.groups', allows: ({ team }, { groups }) => groups.includes(team as string) },
  { text: 'flag=is.true', allows: ({ flag }) => flag === true },
  { text: 'or=(owner.eq.@me,flag.is.true)', allows: (row, me) => isMine(row, me) || row.flag === true },
  { text: 'owner=is.null', allows: ({ owner }) => owner === null },
  { text: 'num=gt.850000000', allows: ({ num }) => num !== null && Number(num) > 850_000_000 },
  {
    text: 'flag=not.is.true&team=not.in.@me.groups',
    // For PostgreSQL, null is not in an empty list; for any other list, the result is unknown.
    allows: ({ flag, team }, { groups }) => flag !== true && (team === null ? groups.length === 0 : !groups.includes(team as string)),
  },
]
const ruleCount = simpleRules.length + 4

/** Tables that lack what a rule names get a simpler rule. */
export function ruleOf(world: World, table: WorldTable | null, number: number): Rule {
  const simple = simpleRules[number % simpleRules.length]!
  const place = (number % ruleCount) - simpleRules.length
  if (!table || place < 0) return simple
  const has = (name: string) => columnNamed(table, name) !== undefined
  if (place === 0 && has('link'))
    return { text: 'link.flag=is.true', allows: (row, _, state) => linkedRow(world, table, row, state)?.flag === true }
  if (place === 1 && has('link'))
    return { text: 'link.owner=eq.@me', allows: (row, me, state) => linkedRow(world, table, row, state)?.owner === me.id }
  if (place === 2 && has('links'))
    return { text: 'links.flag=is.true', allows: (row, _, state) => manyLinked(world, table, row, state).some(({ flag }) => flag === true) }
  if (place === 3 && has('counted')) return { text: 'counted=gt.0', allows: (row, _, state) => linkedCount(world, table, row, state) > 0 }
  return simple
}

const manyLinked = (world: World, table: WorldTable, row: Row, state: State): Row[] => {
  const { between, target } = columnNamed(table, 'links')!
  const pairs = state[between!]!.filter((pair) => Object.values(pair)[0] === row.id)
  return state[tableNamed(world, target!).name]!.filter(({ id }) => pairs.some((pair) => Object.values(pair)[1] === id))
}

/** Counted as an administrator: a rule evaluates all records, regardless of who may read them. */
function linkedCount(world: World, table: WorldTable, row: Row, state: State): number {
  const way = columnNamed(table, columnNamed(table, 'counted')!.via!)!
  if (way.kind === 'link') return linkedRow(world, table, row, state) ? 1 : 0
  if (way.kind === 'back') return state[way.target!]!.filter(({ link }) => link === row.id).length
  const side = way.kind === 'links' ? 0 : 1
  return state[way.between!]!.filter((pair) => Object.values(pair)[side] === row.id).length
}

export type LineShape = {
  group: number
  table: number
  read: number
  create: number
  update: number
  delete: number
  reads: number | null
  writes: number | null
}

/** Half of the rules allow all rows, so that requests have an effect. */
const rule = fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, { weight: 3, arbitrary: fc.nat({ max: ruleCount * 3 - 1 }) })
/** A list of columns contains most columns. */
const mask = fc.option(
  fc.tuple(fc.nat({ max: 0xffff }), fc.nat({ max: 0xffff })).map(([one, other]) => one | other),
  { nil: null, freq: 2 },
)

/** A line that allows reading is more frequent than one that allows nothing. */
export const lineShape: fc.Arbitrary<LineShape> = fc.record({
  group: fc.nat({ max: 9 }),
  table: fc.nat({ max: 11 }),
  read: rule,
  create: rule,
  update: rule,
  delete: rule,
  reads: mask,
  writes: mask,
})

/** @param groups names of groups; `everyone` and the roles are added */
export function lineOf(world: World, groups: readonly string[], shape: LineShape): Line {
  const names = ['everyone', 'role:editor', 'role:viewer', ...groups]
  const table = world.tables[shape.table]
  const { read, create, update, delete: remove } = shape
  return {
    group: names[shape.group % names.length]!,
    table: table ? table.name : shape.table < 10 ? world.tables[shape.table % world.tables.length]!.name : '*',
    rules: { read, create, update, delete: remove },
    reads: columnsIn(table, shape.reads),
    writes: columnsIn(table, shape.writes),
  }
}

const columnsIn = (table: WorldTable | undefined, mask: number | null): string[] | null =>
  mask === null || !table ? null : table.columns.filter((_, place) => (mask >> place) & 1).map(({ name }) => name)

/** The body of `PUT /api/v1/access`. */
export const documentOf = (world: World, lines: readonly Line[]): { rules: object[] } => ({
  rules: lines.map(({ group, table: name, rules, reads, writes }) => {
    const table = name === '*' ? null : tableNamed(world, name)
    const texts = Object.fromEntries(Object.entries(rules).map(([action, number]) => [action, ruleOf(world, table, number).text]))
    const columns = { ...(reads ? { read: reads } : {}), ...(writes ? { write: writes } : {}) }
    return { group, table: table ? referenceOf(table) : '*', ...texts, ...(table && (reads || writes) ? { columns } : {}) }
  }),
})
