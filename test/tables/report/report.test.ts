import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { crm } from '../../support/crm'
import { expectProblem } from '../../support/problem'

const app = await startApp()
await app.deps.db.sql.unsafe(crm)
const report = (schema: string) => app.call(`/api/v1/schemas/${schema}/report`, { as: 'admin' })

test('says of every table what can be done with it, before the schema is served', async () => {
  const { schema, tables } = await json(report('crm'))
  expect(schema).toBe('crm')
  const levels = tables.map(({ name, kind, level, primaryKey }: Record<string, unknown>) => ({ name, kind, level, primaryKey }))
  expect(levels).toEqual([
    { name: 'columnless', kind: 'table', level: 'readOnly', primaryKey: [] },
    { name: 'companies', kind: 'table', level: 'full', primaryKey: ['country', 'code'] },
    { name: 'doors', kind: 'view', level: 'readOnly', primaryKey: [] },
    { name: 'emails', kind: 'view', level: 'readOnly', primaryKey: [] },
    { name: 'events', kind: 'partitionedTable', level: 'full', primaryKey: ['id', 'at'] },
    { name: 'keyless', kind: 'table', level: 'readOnly', primaryKey: [] },
    { name: 'late', kind: 'table', level: 'full', primaryKey: ['id'] },
    { name: 'people', kind: 'table', level: 'full', primaryKey: ['id'] },
    { name: 'snapshot', kind: 'materializedView', level: 'readOnly', primaryKey: [] },
    { name: 'totals', kind: 'view', level: 'readOnly', primaryKey: [] },
    { name: 'we"ird, na.me', kind: 'table', level: 'full', primaryKey: ['a b'] },
  ])
})

test('gives reasons as sentences', async () => {
  const { tables } = await json(report('crm'))
  const reasons = Object.fromEntries(tables.map(({ name, reasons }: { name: string; reasons: string[] }) => [name, reasons]))
  expect(reasons.companies).toEqual([])
  expect(reasons.keyless).toEqual(['It has no primary key: records cannot be addressed; add one or use /rest/v1 filters.'])
  expect(reasons.emails).toEqual([
    'A view or foreign table has no primary key: records cannot be addressed; use /rest/v1 filters.',
    'The view computes "shouted", so that it cannot be written.',
  ])
  expect(reasons.totals).toEqual([
    'A view or foreign table has no primary key: records cannot be addressed.',
    'Records cannot be added, changed, deleted: PostgreSQL can do it for a view of one table, or by an INSTEAD OF trigger.',
  ])
  expect(reasons.doors).toHaveLength(2)
  expect(reasons.snapshot).toContain('A materialized view is changed by REFRESH MATERIALIZED VIEW only.')
})

test('knows names that mean something else in an address', async () => {
  const name = '01234567-89ab-7def-8123-456789abcdef'
  await app.deps.db.sql.unsafe(
    `create schema odd; create table odd."${name}" (id int primary key); create table odd.".." (id int primary key)`,
  )
  const { tables } = await json(report('odd'))
  expect(tables).toMatchObject([
    { name: '..', level: 'full', reasons: [expect.stringMatching(/^No address can hold its name\. Use its id, [0-9a-f-]{36}\.$/)] },
    { name, level: 'full', reasons: [expect.stringContaining(`Use "odd.${name}", or its id`)] },
  ])
})

test('refuses what an extension keeps', async () => {
  await app.deps.db.sql.unsafe('create schema watched; create extension pg_stat_statements schema watched')
  const { tables } = await json(report('watched'))
  expect(tables.length).toBeGreaterThan(0)
  for (const table of tables) {
    expect(table).toMatchObject({ level: 'refused', reasons: [expect.stringContaining('belongs to the extension "pg_stat_statements"')] })
  }
})

test('says which table somebody is changing, and waits for nobody', async () => {
  const { sql } = app.deps.db
  const other = await sql.reserve()
  await other.unsafe('begin; alter table crm.late add column more int')
  const { tables } = await json(report('crm'))
  await other.unsafe('rollback')
  other.release()
  expect(tables.find(({ name }: { name: string }) => name === 'late')).toMatchObject({
    level: 'refused',
    reasons: [expect.stringContaining('Somebody is changing it')],
  })
})

test.each([
  ['crn', 'Did you mean "crm"?'],
  ['nothing-like-it', undefined],
  ['pg_catalog', undefined],
  ['information_schema', undefined],
  ['rowhouse', undefined],
  ["crm'%20or%20'1'%3D'1", undefined],
  ['%00', undefined],
  ['__proto__', undefined],
])('of the schema %p there is none: 404', async (schema, hint) => {
  const problem = await expectProblem(await report(schema), 404, 'not_found')
  expect(problem.hint).toBe(hint as string)
})

test('is for administrators', async () => {
  await expectProblem(await app.call('/api/v1/schemas/crm/report', { as: 'editor' }), 403, 'forbidden')
  await expectProblem(await app.call('/api/v1/schemas/crm/report'), 401, 'unauthenticated')
})
