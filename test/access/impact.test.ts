import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { documentOf, type Line, lineOf, lineShape, type Row, type State } from '../support/access/document'
import { type Sight, sightOf } from '../support/access/sight'
import { addWorld, ask, groupNames, groupsOf, readState, type Stage, setMembers, startStage } from '../support/access/stage'
import { type WorldTable, worldOf, worldShape } from '../support/access/world'
import { rounds } from '../support/drill'
import '../support/properties'

const worlds = fc.sample(worldShape, { numRuns: 3, seed: 20261127 }).map((shape, at) => worldOf(`i${at}`, shape))
const stage: Stage = await startStage(worlds.map(({ name }) => name))
const states: State[] = []
for (const world of worlds) {
  await addWorld(stage, world)
  states.push(await readState(stage, world))
}

type Counts = { gained: number | null; lost: number | null }
type Change = { id: string } & Partial<Record<'read' | 'update' | 'delete', Counts>> & {
    writable?: { gained: string[]; lost: string[] }
    writableCells?: (Counts & { column: string })[]
  }
type Impact = { tables: { name: string; users: Change[] }[]; isPartial: boolean }

const put = async (rules: object[], query = '') => {
  const answer = await ask(stage.one, stage.one.tokens.admin, { method: 'PUT', path: `/api/v1/access${query}`, body: { rules } })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.json as Impact
}

const none: Counts = { gained: 0, lost: 0 }
const isNone = ({ gained, lost }: Counts) => gained === 0 && lost === 0

function counted(rows: readonly Row[], was: (row: Row) => boolean, is: (row: Row) => boolean): Counts {
  return { gained: rows.filter((row) => is(row) && !was(row)).length, lost: rows.filter((row) => was(row) && !is(row)).length }
}

const permits = (sight: Sight, table: WorldTable, isViewer: boolean) => (action: 'read' | 'update' | 'delete', column?: string) => {
  const isAllowed = (row: Row) => action === 'read' || (!isViewer && sight.can(table, action, row, column))
  return (row: Row) => sight.canRead(table, row) && isAllowed(row)
}

const plainKinds = ['text', 'number', 'flag', 'owner']

/**
 * The changes of one person and one table by the model, without those that change nothing.
 * @param isNamed whether the column is in `writable`, which says all of it
 */
function modelled(table: WorldTable, [before, after]: readonly [Sight, Sight], isViewer: boolean, isNamed: (column: string) => boolean) {
  const rows = before.state[table.name]!
  const [was, is] = [permits(before, table, isViewer), permits(after, table, isViewer)]
  const counts = (['read', 'update', 'delete'] as const).map((action) => [action, counted(rows, was(action), is(action))] as const)
  const both = rows.filter((row) => was('update')(row) && is('update')(row))
  const columns = table.columns.filter(({ name, kind }) => plainKinds.includes(kind) && !isNamed(name))
  const cells = columns.map(({ name }) => ({ column: name, ...counted(both, was('update', name), is('update', name)) }))
  return { ...Object.fromEntries(counts.filter(([, its]) => !isNone(its))), cells: cells.filter((cell) => !isNone(cell)) }
}

/** The same of an answer. */
function told(table: WorldTable, change: Change | undefined) {
  const counts = (['read', 'update', 'delete'] as const).flatMap((action) => {
    const { gained, lost } = change?.[action] ?? none
    return gained || lost ? [[action, { gained, lost }]] : []
  })
  const plain = table.columns.filter(({ kind }) => plainKinds.includes(kind)).map(({ name }) => name)
  return { ...Object.fromEntries(counts), cells: change?.writableCells?.filter(({ column }) => plain.includes(column)) ?? [] }
}

/** A column that is written from now on was written in no record, and one that is no longer written is. */
function expectUnwritten(table: WorldTable, [before, after]: readonly [Sight, Sight], { writable }: Change) {
  const written = (sight: Sight, names: readonly string[] = []) =>
    table.columns
      .filter(({ name, kind }) => plainKinds.includes(kind) && names.includes(name))
      .filter(({ name }) => sight.state[table.name]!.some((row) => sight.can(table, 'update', row, name)))
  expect([written(before, writable?.gained), written(after, writable?.lost)]).toEqual([[], []])
}

const testCase = fc.record({
  world: fc.nat({ max: worlds.length - 1 }),
  members: fc.array(fc.nat({ max: 7 }), { minLength: 3, maxLength: 3 }),
  before: fc.array(lineShape, { maxLength: 4 }),
  after: fc.array(lineShape, { maxLength: 4 }),
  kept: fc.array(lineShape, { maxLength: 4 }),
})

test(
  'a dry run counts the records that each person reads, changes and deletes from then on, and no longer',
  async () => {
    await fc.assert(
      fc.asyncProperty(testCase, async (value) => {
        const world = worlds[value.world]!
        const lines = (shapes: typeof value.kept): Line[] => [...value.kept, ...shapes].map((shape) => lineOf(world, groupNames, shape))
        const [before, after] = [lines(value.before), lines(value.after)]
        await setMembers(stage, value.members)
        await put(documentOf(world, before).rules)
        const impact = await put(documentOf(world, after).rules, '?dryRun=true')
        expect(impact.isPartial).toBe(false)
        for (const [at, { id, email, role }] of stage.people.entries()) {
          const person = { id, email, role, groups: groupsOf(value.members, at) }
          const sights = [before, after].map((its) => sightOf(world, its, person, states[value.world]!)) as [Sight, Sight]
          for (const table of world.tables) {
            const change = impact.tables.find(({ name }) => name === table.name)?.users.find((user) => user.id === id)
            if (change) expectUnwritten(table, sights, change)
            const isNamed = (column: string) => Object.values(change?.writable ?? {}).some((names) => names.includes(column))
            const model = modelled(table, sights, role === 'viewer', isNamed)
            expect({ table: table.name, ...told(table, change) }).toEqual({ table: table.name, ...model })
          }
        }
      }),
      { numRuns: rounds(30, 1000) },
    )
  },
  10 * 60_000,
)

describe('a dry run', () => {
  const { one } = stage
  const grace = stage.people[0]!
  const add = async (path: string, body: object) =>
    expect((await ask(one, one.tokens.admin, { method: 'POST', path: `/api/v1/tables${path}`, body })).status).toBe(201)
  const changeOf = async (name: string, rules: object[]) => {
    const { tables, isPartial } = await put(rules, '?dryRun=true')
    return { isPartial, change: tables.find((table) => table.name === name)?.users.find(({ id }) => id === grace.id) }
  }

  beforeAll(async () => {
    await add('', { name: 'tags', columns: [{ name: 'name', type: 'text' }] })
    await add('', { name: 'jobs', columns: [{ name: 'title', type: 'text' }] })
    await add('/jobs/columns', { name: 'tags', type: 'manyLinks', options: { table: 'tags' } })
    await one.deps.db.sql.unsafe(`create table ext.plain (id int primary key, divisor int);
      insert into ext.plain select id, id - 1 from generate_series(1, 9) id;
      create view ext.slow as select id, (pg_sleep(3) is null)::text as mark from ext.plain;
      create view ext.failing as select id, 1 / divisor as part from ext.plain;
      create materialized view ext.empty as select id, 1 as part from ext.plain with no data;
      create function ext.refuse() returns int language plpgsql as 'begin raise exception $m$no$m$; end';
      create view ext.refusing as select id, ext.refuse() as part from ext.plain`)
  })

  test.each([
    ['slow', 'mark=neq.x'],
    ['failing', 'part=gt.0'],
    ['empty', 'part=gt.0'],
    ['refusing', 'part=gt.0'],
  ])('of a %s rule says that nothing was counted', async (name, read) => {
    await put([{ group: 'everyone', table: `ext.${name}`, read: 'none' }])
    expect(await changeOf(name, [{ group: 'everyone', table: `ext.${name}`, read }])).toMatchObject({
      isPartial: true,
      change: { read: { before: 'none', after: 'some', gained: null, lost: null } },
    })
  })

  test('counts the other actions where the rule of one fails', async () => {
    await put([{ group: 'everyone', table: 'ext.failing', read: 'all' }])
    const rule = { group: 'everyone', table: 'ext.failing', read: 'id=lt.4', delete: 'part=gt.0' }
    expect(await changeOf('failing', [rule])).toMatchObject({
      isPartial: true,
      change: { read: { gained: 0, lost: 6 }, delete: { before: 'none', after: 'some', gained: null, lost: null } },
    })
  })

  test('names lists of records of another table that are read no longer', async () => {
    await put([])
    const { change } = await changeOf('jobs', [{ group: 'role:viewer', table: 'tags', read: 'all' }])
    expect(change).toMatchObject({ cells: [{ column: 'tags', gained: null, lost: null }] })
  })

  test('does not count changes of records that are not read', async () => {
    const line = { group: 'everyone', table: 'tags', update: 'all', delete: 'all' }
    await put([{ ...line, read: 'all' }])
    await add('/tags/records', { name: 'one' })
    const lost = { before: 'all', after: 'none', gained: 0, lost: 1 }
    expect((await changeOf('tags', [line])).change).toMatchObject({ read: lost, update: lost, delete: lost })
  })
})
