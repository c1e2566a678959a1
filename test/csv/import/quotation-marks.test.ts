import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRows } from '../../../src/web/browser/pages/import/csv-sample'
import { json, startApp } from '../../support/app'
import { upload } from '../../support/csv'
import { expectProblem } from '../../support/problem'

const app = await startApp()
await app.call('/api/v1/tables', {
  as: 'admin',
  body: {
    name: 'parts',
    columns: [
      { name: 'part', type: 'text' },
      { name: 'size', type: 'text' },
    ],
  },
})

const clear = () => app.deps.db.sql.unsafe('truncate data.parts restart identity')
const stored = async (): Promise<string[][]> =>
  (await app.deps.db.sql.unsafe(`select coalesce(part, '') as part, coalesce(size, '') as size from data.parts order by id`)).map(
    ({ part, size }) => [part, size],
  )

/** Each with the records that Python's csv module, Excel and LibreOffice read. */
const files: [string, string[][]][] = [
  [
    'elbow,5" pipe\ntee,6" pipe\n',
    [
      ['elbow', '5" pipe'],
      ['tee', '6" pipe'],
    ],
  ],
  [
    'elbow,5"\r\ntee,6"',
    [
      ['elbow', '5"'],
      ['tee', '6"'],
    ],
  ],
  ['Anna "Annie" Lee,1\n', [['Anna "Annie" Lee', '1']]],
  [
    'film "A,1\nfilm B",2\n',
    [
      ['film "A', '1'],
      ['film B"', '2'],
    ],
  ],
  ['a, "b"\n', [['a', ' "b"']]],
  ['a""b,""""\n', [['a""b', '"']]],
  [
    '"Annie" Lee,"a"b"c\nx,y\n',
    [
      ['Annie Lee', 'ab"c'],
      ['x', 'y'],
    ],
  ],
  ['"5"" pipe, or\n6""",x\n', [['5" pipe, or\n6"', 'x']]],
]

let tables = 0

test.each(files)('%j is read alike by imports, upserts, new tables and previews', async (file, records) => {
  await clear()
  expect(await json(upload(app, 'parts', `part,size\n${file}`))).toMatchObject({ inserted: records.length })
  expect(await stored()).toEqual(records)

  const numbered = parseRows(Buffer.from(file), ',').map((_, index) => index + 1)
  const lines = file.split(/\r?\n(?=[^6])/).filter((line) => line !== '')
  const upsert = `id,part,size\n${lines.map((line, index) => `${numbered[index]},${line}`).join('\n')}`
  await app.deps.db.sql.unsafe(`update data.parts set part = 'before', size = 'before'`)
  expect(await json(upload(app, 'parts', upsert, { query: '?mode=upsert' }))).toMatchObject({ updated: records.length })
  expect(await stored()).toEqual(records)

  // Also after the records from which types are guessed.
  const name = `made_${++tables}`
  const many = `part,size\n${'x,8\n'.repeat(1200)}${file}`
  expect(await json(upload(app, 'import', many, { as: 'admin', query: `?name=${name}` }))).toMatchObject({
    inserted: 1200 + records.length,
  })
  const made = await app.deps.db.sql.unsafe(`select part, size::text as size from data.${name} order by id offset 1200`)
  expect(made.map(({ part, size }) => [part, size])).toEqual(records)

  expect(parseRows(Buffer.from(file), ',')).toEqual(records)
})

test('a mark in a cell longer than is held in memory is literal, too', async () => {
  await clear()
  const long = `${'5" '.repeat(400_000)}${'"'.repeat(200_000)}`
  expect(await json(upload(app, 'parts', `part,size\na,${long}\nb,c\n`))).toMatchObject({ inserted: 2 })
  expect(await stored()).toEqual([
    ['a', long],
    ['b', 'c'],
  ])
})

test('whatever a file is, the preview shows the records that are imported', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '"', '"', ',', ',', '\n', '\r', ' ', '\\', '.'), maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), async (file, at) => {
      await clear()
      // What follows the file is read to its end, unless the file opens quotes and does not close them.
      const bytes = Buffer.from(`part,size\n${file}\nlast,1\n`)
      const cut = at % bytes.length
      const chunks = new ReadableStream({
        start: (controller) => {
          controller.enqueue(bytes.subarray(0, cut))
          controller.enqueue(bytes.subarray(cut))
          controller.close()
        },
      })
      const answer = await upload(app, 'parts', chunks, { query: '?invalidLines=skip' })
      const [, ...shown] = parseRows(bytes, ',', 100)
      if (shown.at(-1)?.[0] !== 'last') {
        const { errors } = await expectProblem(answer, 422, 'validation_failed')
        expect(errors?.at(-1)?.message).toBe('opens a quotation mark that is never closed')
      } else {
        expect(answer.status).toBe(200)
        expect(await stored()).toEqual(shown.filter((cells) => cells.length === 2))
      }
    }),
    { numRuns: 100 },
  )
})
