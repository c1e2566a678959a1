import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../support/app'
import { upload } from '../support/csv'

const app = await startApp()
const choices = ['=a', "'=a", '-b', '@c', 'd']
const made = await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'sheet',
    columns: [
      { name: '=name', type: 'text' },
      { name: "'+notes", type: 'longText' },
      { name: 'phone', type: 'phone' },
      { name: 'number', type: 'integer' },
      { name: 'data', type: 'json' },
      { name: 'one', type: 'select', options: { choices } },
      { name: 'several', type: 'multiSelect', options: { choices } },
    ],
  },
})
if (made.status !== 201) throw new Error(await made.text())

const beginning = fc.stringMatching(/^['" \t\n\u00a0\u3000＝]{0,3}[-=+@＠x]?$/)
const text = fc
  .tuple(beginning, fc.string({ unit: 'grapheme', maxLength: 6 }))
  .map((parts) => parts.join(''))
  .filter((value) => !value.includes('\0') && value.isWellFormed())
const record = fc.record({
  '=name': fc.option(text),
  "'+notes": fc.option(text),
  phone: fc.constantFrom(null, '+47 55 50 10 01'),
  number: fc.option(fc.integer({ min: -9, max: 9 })),
  data: fc.constantFrom(-5, '=1', "'=1", ['-1'], { '=a': "'=1" }),
  one: fc.option(fc.constantFrom(...choices)),
  several: fc.option(fc.subarray(choices, { minLength: 1 })),
})

const read = async () => (await json(app.call('/api/v1/tables/sheet/records?order=id', { as: 'viewer' }))).records

test.each([
  ['?for=people&', '?mode=upsert&formulas=escape'],
  ['?for=people&delimiter=semicolon&decimals=comma&', '?mode=upsert&formulas=escape&decimals=comma'],
  ['?formulas=escape&', '?mode=upsert&formulas=escape'],
  ['?for=people&formulas=keep&', '?mode=upsert'],
  ['?', '?mode=upsert&formulas=keep'],
])('an export%s comes back by an import%s as it was', async (out, into) => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (records) => {
      await app.deps.db.sql.unsafe('truncate data.sheet')
      const created = await app.call('/api/v1/tables/sheet/records', { as: 'editor', body: records })
      expect({ status: created.status, body: created.status === 201 ? '' : await created.text() }).toEqual({ status: 201, body: '' })
      const before = await read()
      const file = await (await app.call(`/api/v1/tables/sheet/export.csv${out}order=id`, { as: 'viewer' })).text()
      await app.deps.db.sql.unsafe('truncate data.sheet')
      const answer = await upload(app, 'sheet', file, { query: into })
      expect({ file, body: await answer.json() }).toMatchObject({ file, body: { inserted: records.length } })
      expect({ file, records: await read() }).toEqual({ file, records: before })
    }),
    { numRuns: 25 },
  )
})
