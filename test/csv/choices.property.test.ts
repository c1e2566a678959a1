import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { json, startApp } from '../support/app'
import { upload } from '../support/csv'
import { expectProblem } from '../support/problem'

const app = await startApp()
const sets = {
  plain: ['a', 'b', 'c d'],
  commas: ['Red, dark', 'Red', 'dark', 'x', 'x, Red', 'dark, x'],
  marks: ['[e]', '{f}', '"g"', '=h', ' i', 'j ', "k'l", 'm;n', 'o, ', ',', 'ü, ß'],
}
for (const [name, choices] of Object.entries(sets)) {
  const columns = [
    { name: 't', type: 'text' },
    { name: 'm', type: 'multiSelect', options: { choices } },
  ]
  const made = await app.call('/api/v1/tables', { as: 'admin', body: { name, columns } })
  if (made.status !== 201) throw new Error(await made.text())
}

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const ways = [
  ['export.csv?', 'text/csv'],
  ['export.csv?for=people&formulas=keep&', 'text/csv'],
  ['export.csv?for=people&formulas=keep&delimiter=semicolon&decimals=comma&', 'text/csv'],
  ['export.xlsx?', xlsx],
] as const

test('choices that a file takes out and in again are the same choices', async () => {
  const lists = fc.constantFrom(...(Object.keys(sets) as (keyof typeof sets)[])).chain((table) =>
    fc.record({
      table: fc.constant(table),
      lists: fc.array(fc.option(fc.shuffledSubarray(sets[table], { minLength: 1 })), { minLength: 1, maxLength: 6 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(lists, fc.constantFrom(...ways), async ({ table, lists: values }, [path, type]) => {
      await app.deps.db.sql.unsafe(`truncate data."${table}" restart identity`)
      await app.call(`/api/v1/tables/${table}/records`, { as: 'editor', body: values.map((m) => ({ m })) })
      const file = new Uint8Array(await (await app.call(`/api/v1/tables/${table}/${path}order=id`, { as: 'viewer' })).arrayBuffer())
      await app.deps.db.sql.unsafe(`truncate data."${table}" restart identity`)
      expect(await json(upload(app, table, file, { type }))).toMatchObject({ inserted: values.length })
      const { records } = await json(app.call(`/api/v1/tables/${table}/records?order=id`, { as: 'viewer' }))
      expect(records.map(({ m }: { m: string[] | null }) => m)).toEqual(values)
    }),
    { numRuns: 60 },
  )
})

const cellOf = (text: string) => `t,m\n1,"${text.replaceAll('"', '""')}"\n`

test.each([
  ['plain', 'a,b', ['a', 'b']],
  ['plain', ' a ,  c d', ['a', 'c d']],
  ['commas', 'Red, dark', ['Red, dark']],
  ['commas', 'dark, Red', ['dark', 'Red']],
  ['commas', '["Red","dark"]', ['Red', 'dark']],
  ['marks', '[e]', ['[e]']],
  ['marks', '{f}, ü, ß', ['{f}', 'ü, ß']],
] as const)('in the table %s, %j is read by the choices there are', async (table, cell, list) => {
  await app.deps.db.sql.unsafe(`truncate data."${table}" restart identity`)
  expect(await json(upload(app, table, cellOf(cell)))).toMatchObject({ inserted: 1 })
  const { records } = await json(app.call(`/api/v1/tables/${table}/records`, { as: 'viewer' }))
  expect(records).toMatchObject([{ m: list }])
})

test.each([
  ['commas', 'Red, dark, x'],
  ['commas', 'Red, blue'],
  ['marks', 'ü'],
])('in the table %s, %j is refused', async (table, cell) => {
  const { errors } = await expectProblem(await upload(app, table, cellOf(cell)), 422, 'validation_failed')
  expect(errors).toMatchObject([{ line: 2, column: 'm', message: expect.stringContaining(`: "${cell}"`) }] as never)
})

test('a cell that could be read in more ways than can be tried is refused', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`)
  const choices = [...words, ...words.slice(1).map((word, index) => `${words[index]}, ${word}`)]
  const columns = [
    { name: 't', type: 'text' },
    { name: 'm', type: 'multiSelect', options: { choices } },
  ]
  expect((await app.call('/api/v1/tables', { as: 'admin', body: { name: 'overlapping', columns } })).status).toBe(201)
  const cell = `${words.slice(0, 59).join(', ')}, unknown`
  const { errors } = await expectProblem(await upload(app, 'overlapping', cellOf(cell)), 422, 'validation_failed')
  expect(errors).toMatchObject([{ line: 2, column: 'm' }] as never)
})
