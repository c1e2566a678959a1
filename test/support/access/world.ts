import fc from 'fast-check'

/** The kind of a column's values. The model of the tests computes each kind in a different way. */
type ColumnKind =
  | 'key'
  | 'text'
  | 'number'
  | 'flag'
  | 'owner'
  | 'formula'
  | 'files'
  | 'link'
  | 'links'
  | 'back'
  | 'backs'
  | 'lookup'
  | 'rollup'
  | 'count'
  | 'echo'

/**
 * `target` is the table that a link leads to, `via` the link that a computed column follows, `of` the column that it
 * reads there. For an echo, a formula that is computed at each read, `of` is the column of its own table that it shows.
 */
export type WorldColumn = {
  name: string
  kind: ColumnKind
  target?: string
  via?: string
  of?: string
  function?: 'sum' | 'max' | 'list'
  /** For the other side of a link, the column that links. For `links`, the join table. */
  column?: string
  between?: string
}

export type WorldTable = {
  name: string
  schema: string
  key: string
  columns: WorldColumn[]
  /** A view shows the rows of this table. */
  shows?: string
}

export type World = { name: string; tables: WorldTable[]; rows: number }

type Link = { from: number; to: number; hasBack: boolean }
export type WorldShape = {
  tables: { hasFormula: boolean; hasFiles: boolean }[]
  links: Link[]
  many: Link[]
  computed: { table: number; via: number; what: number }[]
}

const index = fc.nat({ max: 3 })
const link = fc.record({ from: index, to: index, hasBack: fc.boolean() })

/** Schemas of two to four tables of our own, with an adopted table and a view of it. */
export const worldShape: fc.Arbitrary<WorldShape> = fc.record({
  tables: fc.array(fc.record({ hasFormula: fc.boolean(), hasFiles: fc.boolean() }), { minLength: 2, maxLength: 4 }),
  links: fc.array(link, { minLength: 1, maxLength: 3 }),
  many: fc.array(link, { minLength: 1, maxLength: 2 }),
  computed: fc.array(fc.record({ table: index, via: index, what: fc.nat({ max: 7 }) }), { minLength: 2, maxLength: 6 }),
})

const baseColumns = (): WorldColumn[] => [
  { name: 'name', kind: 'text' },
  { name: 'secret', kind: 'text' },
  { name: 'num', kind: 'number' },
  { name: 'flag', kind: 'flag' },
  { name: 'owner', kind: 'owner' },
  { name: 'team', kind: 'text' },
]

/** The schema of a shape: each table has at most one link, one list of links, and the other side of each. */
export function worldOf(name: string, shape: WorldShape): World {
  const own = shape.tables.map(
    ({ hasFormula, hasFiles }, at): WorldTable => ({
      ...{ name: `${name}_t${at}`, schema: 'data', key: 'id' },
      columns: [
        { name: 'id', kind: 'key' },
        ...baseColumns(),
        ...(hasFormula ? [{ name: 'plus', kind: 'formula' as const, of: 'num' }] : []),
        ...(hasFiles ? [{ name: 'papers', kind: 'files' as const }] : []),
      ],
    }),
  )
  const table = (at: number) => own[at % own.length]!
  const add = (to: WorldTable, column: WorldColumn) =>
    to.columns.some((known) => known.name === column.name) ? false : to.columns.push(column) > 0
  for (const { from, to, hasBack } of shape.links) {
    if (add(table(from), { name: 'link', kind: 'link', target: table(to).name }) && hasBack)
      add(table(to), { name: 'back', kind: 'back', target: table(from).name, column: 'link' })
  }
  for (const { from, to, hasBack } of shape.many) {
    const between = `${table(from).name}_links`
    if (add(table(from), { name: 'links', kind: 'links', target: table(to).name, between }) && hasBack)
      add(table(to), { name: 'backs', kind: 'backs', target: table(from).name, column: 'links', between })
  }
  for (const { table: at, via, what } of shape.computed) addComputed(own, table(at), via, what, add)
  return { name, rows: 6, tables: [...own, ...adopted(name, own[0]!)] }
}

function addComputed(
  own: WorldTable[],
  table: WorldTable,
  via: number,
  what: number,
  add: (to: WorldTable, column: WorldColumn) => boolean,
) {
  if (what > 5) {
    const computed = table.columns.findLast(({ kind }) => ['lookup', 'rollup', 'count', 'echo'].includes(kind))
    add(
      table,
      what === 6 ? { name: 'echoed', kind: 'echo', of: 'secret' } : { name: 'resounded', kind: 'echo', of: computed?.name ?? 'name' },
    )
    return
  }
  const ways = table.columns.filter(({ kind }) => ['link', 'links', 'back', 'backs'].includes(kind))
  const way = ways[via % Math.max(1, ways.length)]
  if (!way) return
  const computed: WorldColumn[] = [
    { name: 'counted', kind: 'count' },
    { name: 'summed', kind: 'rollup', of: 'num', function: 'sum' },
    { name: 'largest', kind: 'rollup', of: 'num', function: 'max' },
    { name: 'listed', kind: 'rollup', of: 'secret', function: 'list' },
    { name: 'looked', kind: 'lookup', of: 'secret' },
    { name: 'looked_far', kind: 'lookup', of: 'looked' },
  ]
  const column = { ...computed[what % computed.length]!, via: way.name }
  const target = own.find(({ name }) => name === way.target)!
  const isThere = column.of === undefined || target.columns.some(({ name }) => name === column.of)
  // A lookup of several records is a list, which another lookup cannot tell from a value.
  const isSingle = column.kind !== 'lookup' || (way.kind === 'link' && !(column.of === 'looked' && target === table))
  if (isThere && isSingle) add(table, column)
}

const adopted = (name: string, first: WorldTable): WorldTable[] => {
  const columns: WorldColumn[] = [{ name: 'code', kind: 'key' }, ...baseColumns(), { name: 'base', kind: 'link', target: first.name }]
  return [
    { name: `${name}_parts`, schema: 'ext', key: 'code', columns },
    { name: `${name}_view`, schema: 'ext', key: '', columns: [...columns.slice(0, 1), ...baseColumns()], shows: `${name}_parts` },
  ]
}

export const tableNamed = ({ tables }: World, name: string): WorldTable => tables.find((table) => table.name === name)!
export const columnNamed = ({ columns }: WorldTable, name: string): WorldColumn | undefined =>
  columns.find((column) => column.name === name)

/** In paths of `/api/v1`. */
export const referenceOf = ({ schema, name }: WorldTable): string => (schema === 'data' ? name : `${schema}.${name}`)
export const qualified = ({ schema, name }: Pick<WorldTable, 'schema' | 'name'>): string => `"${schema}"."${name}"`
/** Columns that are stored in the table itself. */
export const isStored = ({ kind }: WorldColumn): boolean =>
  ['key', 'text', 'number', 'flag', 'owner', 'formula', 'files', 'link'].includes(kind)
