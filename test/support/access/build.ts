import { json, type TestApp } from '../app'
import { canaryNumber, canaryText } from './canary'
import { isStored, qualified, referenceOf, tableNamed, type World, type WorldColumn, type WorldTable } from './world'

/** Users who own rows, and groups whose names are in the column `team`. */
export type Owners = { users: string[]; groups: string[] }

/** Makes the tables and their rows, and a function `ext.<world>_restore()` that puts the rows back. */
export async function buildWorld(app: TestApp, world: World, owners: Owners): Promise<void> {
  const own = world.tables.filter(({ schema }) => schema === 'data')
  for (const table of own)
    await made(app, '/api/v1/tables', { name: table.name, columns: table.columns.flatMap((column) => simpleColumn(column) ?? []) })
  for (const kinds of [['link', 'links'], ['back', 'backs'], ['lookup', 'rollup', 'count'], ['echo']])
    for (const table of own)
      for (const column of table.columns)
        if (kinds.includes(column.kind)) await made(app, `/api/v1/tables/${table.name}/columns`, linkedColumn(world, column))
  await adopt(app, world)
  await fill(app, world, owners)
  await keepCopy(app, world)
}

async function made(app: TestApp, path: string, body: object) {
  const answer = await app.call(path, { as: 'admin', body })
  if (answer.status !== 201) throw new Error(`${path} ${JSON.stringify(body)}: ${answer.status} ${await answer.text()}`)
}

function simpleColumn({ name, kind, of }: WorldColumn): object | null {
  const types: Partial<Record<WorldColumn['kind'], object>> = {
    text: { type: 'text' },
    number: { type: 'integer' },
    flag: { type: 'boolean' },
    owner: { type: 'user' },
    files: { type: 'attachment' },
    formula: { type: 'formula', options: { expression: `${of} + 500000000` } },
  }
  const type = types[kind]
  return type ? { name, ...type } : null
}

function linkedColumn(world: World, { name, kind, target, column, via, of, function: aggregate }: WorldColumn): object {
  const table = target && tableNamed(world, target).name
  if (kind === 'link' || kind === 'links') return { name, type: kind === 'link' ? 'link' : 'manyLinks', options: { table } }
  if (kind === 'echo') return { name, type: 'formula', options: { formula: `IF(NOW() > DATE(2000, 1, 1), {${of}})` } }
  if (kind === 'back' || kind === 'backs') return { name, type: 'reverseLinks', options: { table, column } }
  return { name, type: kind, options: { link: via, ...(of ? { column: of } : {}), ...(aggregate ? { function: aggregate } : {}) } }
}

async function adopt({ deps: { db } }: TestApp, { name, tables }: World) {
  const first = tables[0]!
  await db.query(`create table ext.${name}_parts (code text primary key, name text, secret text, num integer unique, flag boolean,
    owner uuid, team text, base bigint references ${qualified(first)} (id))`)
  await db.query(`create view ext.${name}_view as select code, name, secret, num, flag, owner, team from ext.${name}_parts`)
  await db.query(
    `create function ext.${name}_all() returns setof ext.${name}_parts stable language sql as 'select * from ext.${name}_parts'`,
  )
  await db.query(`create function ext.${name}_touch() returns bigint volatile language sql
    as $$ with w as (update ${qualified(first)} set name = 'touched' returning 1) select count(*) from w $$`)
}

async function fill(app: TestApp, world: World, owners: Owners) {
  const { db } = app.deps
  for (const table of world.tables) {
    if (table.shows) continue
    for (let row = 1; row <= world.rows; row++) {
      const values = table.columns.flatMap((column) => firstValue(world, table, column, row, owners))
      const names = values.map(([name]) => `"${name}"`).join(', ')
      await db.query(
        `insert into ${qualified(table)} (${names}) overriding system value select ${values.map(([, , type], at) => `$${at + 1}::${type}`).join(', ')}`,
        values.map(([, value]) => value),
      )
    }
    if (table.key === 'id') await db.query(`select setval(pg_get_serial_sequence('${table.schema}.${table.name}', 'id'), 100)`)
  }
  for (const { between } of betweens(world)) {
    const pairs = Array.from({ length: world.rows }, (_, at) => [
      [at + 1, (at % world.rows) + 1],
      [at + 1, ((at * 2 + 3) % world.rows) + 1],
    ]).flat()
    for (const [one, other] of pairs)
      await db.query(`insert into data."${between}" select $1::bigint, $2::bigint on conflict do nothing`, [String(one), String(other)])
  }
  for (const table of world.tables)
    if (table.columns.some(({ kind }) => kind === 'files')) for (const row of [1, 2, 3]) await attach(app, table, row)
}

/** Links are set after the rows of a table exist, since they may lead to the table itself. */
function firstValue(
  world: World,
  table: WorldTable,
  column: WorldColumn,
  row: number,
  { users, groups }: Owners,
): [string, string | null, string][] {
  const { name, kind, target } = column
  const place = table.name.length + row
  if (kind === 'key') return [[name, table.key === 'id' ? String(row) : canaryText(), table.key === 'id' ? 'bigint' : 'text']]
  if (kind === 'number') return [[name, String(canaryNumber()), 'integer']]
  if (kind === 'flag') return [[name, [null, 'true', 'false', 'true'][row % 4]!, 'boolean']]
  if (kind === 'owner') return [[name, row % 5 === 0 ? null : users[row % users.length]!, 'uuid']]
  if (name === 'team') return [[name, row % 4 === 3 ? null : groups[place % groups.length]!, 'text']]
  if (kind === 'text') return [[name, name === 'secret' && row === 6 ? null : canaryText(), 'text']]
  if (kind === 'link' && canLinkAlready(world, table, target!, row))
    return [[name, String(linkedRow(world, table, target!, row)), 'bigint']]
  return []
}

/** A link to a table that comes later in the list stays empty, except where `linkedRow` finds a row there. */
const canLinkAlready = ({ tables }: World, table: WorldTable, target: string, row: number) => {
  const [own, other] = [tables.indexOf(table), tables.findIndex(({ name }) => name === target)]
  return row % 6 !== 5 && (other < own || (other === own && row > 1))
}

const linkedRow = ({ rows }: World, table: WorldTable, target: string, row: number) =>
  table.name === target ? row - 1 : ((row * 3) % rows) + 1

async function attach(app: TestApp, table: WorldTable, row: number) {
  // The file's name and its bytes are the same text.
  const text = canaryText()
  const answer = await fetch(`${app.url}/api/v1/tables/${referenceOf(table)}/records/${row}/attachments/papers?name=${text}.txt`, {
    method: 'POST',
    body: text,
    headers: { authorization: `Bearer ${app.tokens.admin}`, 'content-type': 'text/plain' },
  })
  if (answer.status !== 201) throw new Error(`The upload answered ${answer.status}: ${await json(answer)}`)
}

/** The join tables, each once. */
export const betweens = ({ tables }: World): { between: string; from: WorldTable; to: string }[] =>
  tables.flatMap((from) =>
    from.columns.flatMap(({ kind, between, target }) => (kind === 'links' ? [{ between: between!, from, to: target! }] : [])),
  )

async function keepCopy({ deps: { db } }: TestApp, world: World) {
  const tables = [
    ...world.tables
      .filter(({ shows }) => !shows)
      .map((table) => ({
        table,
        columns: table.columns.filter((column) => isStored(column) && column.kind !== 'formula').map(({ name }) => `"${name}"`),
      })),
    ...betweens(world).map(({ between }) => ({ table: { schema: 'data', name: between }, columns: null })),
  ]
  for (const { table } of tables) await db.query(`create table kept."${table.name}" as table ${qualified(table)}`)
  const list = tables.map(({ table }) => qualified(table)).join(', ')
  const inserts = tables.map(
    ({ table, columns }) =>
      `insert into ${qualified(table)} ${columns ? `(${columns.join(', ')}) overriding system value select ${columns.join(', ')} from` : 'table'} kept."${table.name}";`,
  )
  await db.query(`create function kept.${world.name}_restore() returns void language plpgsql as $$ begin
    set local session_replication_role to replica;
    truncate ${list} restart identity;
    ${inserts.join('\n')}
    ${world.tables
      .filter(({ key }) => key === 'id')
      .map((table) => `perform setval(pg_get_serial_sequence('${table.schema}.${table.name}', 'id'), 100);`)
      .join('\n')}
  end $$`)
}
