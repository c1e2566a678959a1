import { expect, test } from 'bun:test'
import { describeDifferences } from '../../src/backup/table/differences'
import { planRestore } from '../../src/backup/table/plan'
import { findTable } from '../../src/tables/catalog/catalog'
import { json, startApp } from '../support/app'

const app = await startApp()
const make = (body: object) => json(app.call('/api/v1/tables', { as: 'admin', body }))

test('a link whose table is gone is named, with what has become of it', async () => {
  await make({ name: 'departments', columns: [{ name: 'title', type: 'text' }] })
  await make({ name: 'teams', columns: [{ name: 'title', type: 'text' }] })
  await make({
    name: 'staff',
    columns: [
      { name: 'name', type: 'text' },
      { name: 'dept', type: 'link', options: { table: 'departments' } },
      { name: 'teams', type: 'manyLinks', options: { table: 'teams' } },
    ],
  })
  const source = findTable(await app.deps.catalog.refresh(), 'staff')!
  for (const path of [
    'staff/columns/dept?confirm=dept',
    'staff/columns/teams?confirm=teams',
    'departments?confirm=departments',
    'teams?confirm=teams',
  ])
    expect((await app.call(`/api/v1/tables/${path}`, { as: 'admin', method: 'DELETE' })).ok).toBe(true)
  const plan = planRestore(source, 'again', await app.deps.catalog.refresh())
  expect(plan.input.columns.map(({ name, type }) => [name, type])).toEqual([
    ['name', 'text'],
    ['dept', 'bigint'],
  ])
  expect(describeDifferences(plan, { leftOut: [], notRequired: [], notNaming: [] }, new Map(), [])).toEqual([
    'The column "teams" was left out: the table that it links to is not there, or has another key.',
    'The column "dept" has only the keys, and is not a link: the table that it links to is not there, or has another key.',
  ])
})

test('a formula that is computed at each read is added after what it uses', async () => {
  await make({
    name: 'lines',
    columns: [
      { name: 'late', type: 'formula', options: { formula: 'IF(due < TODAY(), twice, 0)' } },
      { name: 'twice', type: 'formula', options: { formula: 'price * 2' } },
      { name: 'price', type: 'integer' },
      { name: 'due', type: 'date' },
    ],
  })
  const source = findTable(await app.deps.catalog.refresh(), 'lines')!
  const plan = planRestore(source, 'again', await app.deps.catalog.refresh())
  expect(plan.input.columns.map(({ name }) => name)).toEqual(['twice', 'price', 'due'])
  expect(plan.computed).toMatchObject([{ name: 'late', type: 'formula', options: { formula: 'IF(due < TODAY(), twice, 0)' } }])
  expect(plan.stored.map(({ name }) => name)).toEqual(['id', 'price', 'due'])
})
