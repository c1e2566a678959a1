import { expect, test } from 'bun:test'
import { guessType } from '../../../../src/csv/import/new-table/guess'
import { nearType } from '../../../../src/csv/import/new-table/near-type'
import { json, startApp } from '../../../support/app'
import { upload } from '../../../support/csv'

const app = await startApp()

const times = (count: number, cell: string) => Array.from({ length: count }, (_, index) => cell.replace('#', String(index + 1)))
const make = async (text: string, query: string) => {
  const answer = await upload(app, 'import', text, { as: 'admin', query })
  expect(answer.status).toBeLessThan(300)
  return json(answer)
}
const column = (cells: readonly string[]) => `v,end\n${cells.map((cell) => `${cell},\n`).join('')}`

const nearOf = (cells: readonly string[]) => {
  const reading = { notation: { decimals: 'point' as const }, form: null }
  return nearType(
    guessType(cells, reading.notation),
    cells,
    cells.map((_, index) => index + 2),
    reading,
  )
}

test.each([
  [[...times(19, '2026-01-31'), 'unknown'], 'date'],
  [[...times(19, '#'), 'n/a'], 'integer'],
  [[...times(19, '#'), '1.5', 'n/a', ''], 'decimal'],
  [[...times(19, '12:30'), '-'], 'time'],
  [[...times(19, '2026-01-31T12:00Z'), 'later'], 'dateTime'],
  [[...times(19, 'p#@example.org'), 'none'], 'email'],
  [[...times(19, 'https://example.org/#'), 'none'], 'url'],
  [[...times(19, '# %'), 'none'], 'percent'],
  [[...times(19, '# EUR'), '5'], 'currency'],
  // A few recurring words are no list of choices when all but one of them are dates.
  [[...times(30, '2026-01-31'), 'unknown'], 'date'],
])('all but a few cells of %j are of the type %s', (cells, type) => {
  const near = nearOf(cells)!
  expect(near).toMatchObject({ guess: { type }, cells: cells.filter((cell) => cell !== '').length, misfits: 1 })
  expect(cells[near.first.at - 2]).toBe(near.first.value)
})

test.each([
  ['all cells fit', times(20, '2026-01-31')],
  ['the cells are few', [...times(8, '2026-01-31'), 'unknown']],
  ['more than a tenth does not fit', [...times(17, '2026-01-31'), 'a', 'b']],
  ['a number would lose characters', [...times(30, '#'), '007']],
  ['house numbers have letters', [...times(30, '#'), '12a']],
  ['truth values are choices', [...times(30, 'yes'), 'perhaps']],
])('no type is near where %s', (_, cells) => expect(nearOf(cells)).toBeNull())

test('the preview names the type, the cells and the line', async () => {
  const cells = [...times(9, '2026-01-31'), '"two\nlines"', ...times(9, '2026-02-01'), 'unknown']
  const shown = await make(column(cells), '?name=previewed&dryRun=true')
  expect(shown.columns).toEqual([
    {
      header: 'v',
      name: 'v',
      type: 'longText',
      options: {},
      nearly: { type: 'date', options: {}, cells: 20, misfits: 2, line: 11, value: 'two\nlines' },
    },
    { header: 'end', name: 'end', type: 'text', options: {} },
  ])
})

test('lines are those of the file, whatever is before them', async () => {
  const text = `\r\na,b\r\n${times(5, '2026-01-31,"x\ny"\r\n\r\n').join('')}${times(5, '2026-01-31,x\r\n').join('')}soon,x\r\n`
  const lines = text.split('soon')[0]!.split('\n').length
  for (const dryRun of ['true', 'whole', 'false']) {
    const { columns } = await make(text, `?name=broken_lines&dryRun=${dryRun}`)
    expect(columns[0]).toMatchObject({ type: 'text', nearly: { type: 'date', cells: 11, misfits: 1, line: lines, value: 'soon' } })
  }
})

test('a type that the caller chooses has no word, and its faulty cells are reported', async () => {
  const text = column([...times(20, '2026-01-31'), 'unknown'])
  const query = `columns=${encodeURIComponent('{"v":{"type":"date","options":{}}}')}`
  const { columns } = await make(text, `?name=chosen&dryRun=true&${query}`)
  expect(columns[0]).toEqual({ header: 'v', name: 'v', type: 'date', options: {} })
  const checked = await upload(app, 'import', text, { as: 'admin', query: `?name=chosen&dryRun=whole&${query}` })
  expect(await json(checked)).toMatchObject({ errors: [{ line: 22, column: 'v' }] })
})

test('what a later record contradicts is told by the check and by the import', async () => {
  const early = times(1100, '2026-01-31')
  const text = column([...early, 'unknown', ...times(5, '2026-02-01'), '2026-02-30'])
  expect((await make(text, '?name=late&dryRun=true')).columns[0].type).toBe('date')
  for (const dryRun of ['whole', 'false']) {
    const { columns } = await make(text, `?name=late&dryRun=${dryRun}`)
    expect(columns[0]).toMatchObject({
      type: 'text',
      nearly: { type: 'date', options: {}, cells: 1107, misfits: 2, line: 1102, value: 'unknown' },
    })
  }
})

test('the cells that do not fit are counted in the whole file', async () => {
  const text = column(['unknown', ...times(1200, '#'), '2.5', 'later'])
  const { columns } = await make(text, '?name=counted&dryRun=whole')
  expect(columns[0].nearly).toEqual({ type: 'decimal', options: {}, cells: 1203, misfits: 2, line: 2, value: 'unknown' })
  // The records after the first ones are of many kinds: there is nothing to say.
  const mixed = column(['unknown', ...times(1000, '2026-01-31'), ...times(500, 'word #')])
  expect((await make(mixed, '?name=mixed&dryRun=true')).columns[0]).toHaveProperty('nearly')
  expect((await make(mixed, '?name=mixed&dryRun=whole')).columns[0]).not.toHaveProperty('nearly')
})

test('any contradiction of the first records is told, even to codes and keys', async () => {
  const codes = await make(column([...times(1100, '#'), '007']), '?name=codes&dryRun=whole')
  expect(codes.columns[0]).toMatchObject({ type: 'text', nearly: { type: 'integer', misfits: 1, line: 1102, value: '007' } })
  const keyed = await make(`id,n\n${times(1100, '#,x\n').join('')}A1,x\n`, '?name=keyed&dryRun=whole')
  expect(keyed.columns[0]).toMatchObject({ type: 'text', nearly: { type: 'integer', misfits: 1, line: 1102, value: 'A1' } })
  // A wider number is no loss.
  const wide = await make(column([...times(1100, '#'), '1.5']), '?name=wide&dryRun=whole')
  expect(wide.columns[0]).toEqual({ header: 'v', name: 'v', type: 'decimal', options: {} })
})

test('a long cell is told by its beginning', async () => {
  const { columns } = await make(column([...times(20, '2026-01-31'), 'ü'.repeat(5000)]), '?name=long&dryRun=true')
  expect(columns[0].nearly.value).toBe('ü'.repeat(100))
})

test('a moment that the clocks skipped is told, although it looks like a moment', async () => {
  const text = column([...times(15, '2026-03-28 02:30'), '2026-03-29 02:30', '2026-03-29 02:45'])
  const { columns } = await make(text, '?name=skipped&dryRun=whole&timezone=Europe/Berlin')
  expect(columns[0]).toMatchObject({
    type: 'text',
    nearly: { type: 'dateTime', cells: 17, misfits: 2, line: 17, value: '2026-03-29 02:30' },
  })
})
