import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { parseTsv, toHtmlTable, toTsv } from '../../src/web/browser/pages/grid/edit/clipboard-formats'
import { call, cleanUp, newFolder } from '../support/executable'
import { startUi } from '../support/ui'

/*
 * Compares with LibreOffice, cell by cell (`bun run office`; Debian: libreoffice-calc). Not part of the gate: it takes
 * 300 MB of packages.
 *   1. Our workbook, opened there and written as CSV, against our CSV.
 *   2. Our CSV, opened there and written as a workbook, imported here again.
 *   3. What is copied here (HTML and tabs), opened there.
 *   4. What is copied there (the same filters of Calc: HTML and tabs), read as the grid reads a paste.
 */

const folder = newFolder()
const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`

/** Converts by LibreOffice without a window. @returns the path of the new file */
async function convert(file: string, to: string, extension: string, infilter?: string): Promise<string> {
  const out = join(folder, `out-${crypto.randomUUID().slice(0, 8)}`)
  mkdirSync(out)
  const filter = infilter ? [`--infilter=${infilter}`] : []
  const args = ['soffice', profile, '--headless', ...filter, '--convert-to', to, '--outdir', out, file]
  const child = Bun.spawn(args, { stdout: 'pipe', stderr: 'pipe' })
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
  return join(
    out,
    `${file
      .split('/')
      .at(-1)!
      .replace(/\.[^.]+$/, '')}.${extension}`,
  )
}

/** Comma or tab, UTF-8, values as they are shown. */
const csvFilter = (separator: number) => `csv:Text - txt - csv (StarCalc):${separator},34,76,1,,0,false,true,false`
const rowsOf = (text: string, delimiter = ','): string[][] => parse(text, { delimiter, relax_column_count: true, bom: true }) as string[][]

let compared = 0
const differences: string[] = []
function compare(what: string, ours: string[][], theirs: string[][], isSame = (one: string, other: string) => one === other) {
  for (const [row, cells] of ours.entries()) {
    for (const [column, cell] of cells.entries()) {
      compared++
      const other = theirs[row]?.[column] ?? ''
      if (!isSame(cell, other))
        differences.push(`${what}, row ${row + 1}, column ${column + 1}: ${JSON.stringify(cell)} became ${JSON.stringify(other)}`)
    }
  }
}

const texts = [
  'plain',
  '',
  'with, comma',
  'with "quotes"',
  'two\nlines',
  'tab\there',
  ' blanks ',
  'Äöü ß €',
  '日本語',
  '😀',
  '=1+1',
  '+47 55 50',
  '-5',
  '@here',
  '007',
  '1e5',
  '2026-01-31',
  'TRUE',
  "O'Neil",
  '<b>&amp;</b>',
]
const service = await startUi()
const { url, token } = service
const api = (path: string, body?: unknown) => call(`${url}/api/v1/tables${path}`, { token, body })
const columns = [
  { name: 'text', type: 'text' },
  { name: 'whole', type: 'integer' },
  { name: 'exact', type: 'decimal', options: { precision: 14, scale: 2 } },
  { name: 'share', type: 'percent' },
  { name: 'sure', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'clock', type: 'time' },
  { name: 'state', type: 'select', options: { choices: ['open', 'done'] } },
  { name: 'company', type: 'link', options: { table: 'companies' } },
]
const created = await api('', { name: 'office', columns })
if (created.status !== 201) throw new Error(await created.text())
for (const [index, text] of texts.entries()) {
  const sent = await api('/office/records', {
    text: text === '' ? null : text,
    whole: index % 7 === 3 ? null : (index - 5) * 1234,
    exact: `${index * 1000}.${String((index * 37) % 100).padStart(2, '0')}`,
    share: index / 100,
    sure: index % 2 === 0,
    day: `20${String(10 + index).slice(-2)}-02-28`,
    clock: `${String(index).padStart(2, '0')}:30:00`,
    state: index % 2 ? 'open' : 'done',
    company: 1 + (index % 6),
  })
  if (sent.status !== 201) throw new Error(await sent.text())
}
const fetched = async (path: string) => Buffer.from(await (await api(path)).arrayBuffer())

// 1
const names = ['id', ...columns.map(({ name }) => name)]
const csv = rowsOf((await fetched('/office/export.csv?for=people&formulas=keep&bom=false&order=id')).toString())
writeFileSync(join(folder, 'ours.xlsx'), await fetched('/office/export.xlsx?order=id'))
const opened = rowsOf(readFileSync(await convert(join(folder, 'ours.xlsx'), csvFilter(44), 'csv'), 'utf8'))
/** `02/28/2010` and `01:30:00 PM`, as LibreOffice shows dates and times, are other forms of the same. */
function plainTime(text: string): string {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? []
  if (year) return `${year}-${month}-${day}`
  const [, hour, rest, half] = /^(\d\d)(:\d\d:\d\d) ([AP])M$/.exec(text) ?? []
  return half ? `${String((Number(hour) % 12) + (half === 'P' ? 12 : 0)).padStart(2, '0')}${rest}` : text
}

/** Numbers, truth values and times are shown there in its own way. */
const isSameValue = (one: string, shown: string) => {
  const other = plainTime(shown)
  const number = (text: string) =>
    /^-?[\d,.]+%?$/.test(text) ? Number(text.replaceAll(',', '').replace('%', '')) / (text.endsWith('%') ? 100 : 1) : Number.NaN
  return (
    one === other ||
    one.toLowerCase() === other.toLowerCase() ||
    Math.abs(number(one) - number(other)) < 1e-9 ||
    `${one}:00` === other ||
    one === `${other}:00`
  )
}
compare('workbook opened', csv, opened, isSameValue)

// 2
writeFileSync(join(folder, 'ours.csv'), await fetched('/office/export.csv?for=people&formulas=keep&order=id'))
const workbook = await convert(join(folder, 'ours.csv'), 'xlsx', 'xlsx', 'CSV:44,34,76,1,,0,true,false')
// Links are imported by their keys, so this one comes as its name.
const again = await api('', {
  name: 'again',
  columns: columns.map((column) => (column.type === 'link' ? { name: column.name, type: 'text' } : column)),
})
if (again.status !== 201) throw new Error(await again.text())
const imported = await fetch(`${url}/api/v1/tables/again/import`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  body: readFileSync(workbook),
})
console.log(`import of LibreOffice's workbook: ${imported.status} ${imported.ok ? '' : (await imported.text()).slice(0, 600)}`)
if (imported.ok)
  compare(
    'CSV through LibreOffice',
    csv,
    rowsOf((await fetched('/again/export.csv?for=people&formulas=keep&bom=false&order=id')).toString()),
  )

// 3
const block = csv.slice(1).map((row) => row.slice(1))
writeFileSync(
  join(folder, 'copied.html'),
  `<html><head><meta charset="utf-8"></head><body>${toHtmlTable(block, (column) => columns[column]!.type === 'text')}</body></html>`,
)
const fromHtml = rowsOf(readFileSync(await convert(join(folder, 'copied.html'), csvFilter(44), 'csv', 'HTML (StarCalc)'), 'utf8'))
compare('HTML copied here', block, fromHtml, (one, other) =>
  isSameValue(one.replace(/\s+/g, ' ').trim(), other.replace(/\s+/g, ' ').trim()),
)
writeFileSync(join(folder, 'tabs.csv'), toTsv(block))
const fromTabs = rowsOf(readFileSync(await convert(join(folder, 'tabs.csv'), csvFilter(44), 'csv', 'CSV:9,34,76,1,,0,false,false'), 'utf8'))
compare('tabs copied here', block, fromTabs, isSameValue)

// 4
const tabs = readFileSync(await convert(join(folder, 'ours.xlsx'), csvFilter(9), 'csv'), 'utf8')
compare('tabs copied there', opened, parseTsv(tabs))

await service.stop()
/** What plain text cannot say: a spreadsheet that opens a CSV or tabs takes these for a formula and numbers. */
const inherent = /^(CSV through LibreOffice|tabs copied here), .*: "(=1\+1|007|1e5)" became/
const unexpected = differences.filter((difference) => !inherent.test(difference))
console.log(
  `${names.length} columns, ${compared} cells compared, ${differences.length - unexpected.length} differences that plain text brings, ${unexpected.length} others`,
)
for (const difference of unexpected) console.error(difference)
cleanUp()
process.exit(unexpected.length > 0 || !imported.ok ? 1 : 0)
