import { expect, test } from 'bun:test'
import type { TableView } from '../../../src/tables/model'
import { type Line, newLine, toRules } from '../../../src/web/browser/pages/access/lines'
import { wholeRights, withoutColumns, withRights } from '../../../src/web/browser/pages/access/recipes'

const cell = { group: 'everyone', table: 'deals' }
const columns = ['id', 'title', 'margin'].map((name) => ({ name, readOnly: false }))
const table = { id: 'deals', columns } as TableView
const rulesOf = (lines: Line[]) => JSON.parse(JSON.stringify(toRules(lines)))
const none = { read: 'none', create: 'none', update: 'none', delete: 'none' }

test('several rules of a group for a table become one, with the columns that all of them show', () => {
  const other = newLine({ ...cell, table: 'staff', read: 'all' })
  const lines = [
    newLine({ ...cell, read: 'owner=eq.@me' }),
    other,
    newLine({ ...cell, read: 'all', columns: { read: ['id', 'title'] } }),
    newLine({ ...cell, update: 'all', columns: { read: ['title', 'margin'], write: ['title'] } }),
  ]
  expect(rulesOf(withRights(lines, cell, wholeRights))).toEqual([
    { ...cell, ...wholeRights, columns: { read: ['title'], write: ['title'] } },
    { ...cell, ...none, table: 'staff', read: 'all' },
  ])
  expect(rulesOf(withRights(lines.slice(0, 1), cell, wholeRights))).toEqual([{ ...cell, ...wholeRights }])
})

test('columns are hidden with the rights that the group has for all tables', () => {
  const general = { ...none, group: 'everyone', table: '*', read: 'all' }
  const shown = { read: ['id', 'title'], write: ['id', 'title'] }
  const made = withoutColumns([newLine(general)], { group: 'everyone', table }, ['margin'])
  expect(rulesOf(made)).toEqual([general, { ...general, table: 'deals', columns: shown }])
  expect(new Set(made.map(({ id }) => id)).size).toBe(2)
  const first = withoutColumns([newLine({ ...general, group: 'role:viewer' })], { group: 'everyone', table }, ['margin'])
  expect(rulesOf(first)[1]).toEqual({ ...cell, ...wholeRights, columns: shown })
})
