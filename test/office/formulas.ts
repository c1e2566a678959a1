import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/*
 * Has LibreOffice Calc compute the formulas below (`bun run office`; Debian: libreoffice-calc), and keeps
 * what it finds in `test/tables/formulas/spreadsheet-values.json`. Names are columns: a and b numbers, s and t texts,
 * d and e dates, x a truth value.
 */

const records = [
  { a: 7, b: 2, s: 'Ada Lovelace', t: 'a', d: '2026-01-31', e: '2024-02-29', x: true },
  { a: -7.5, b: 3, s: '  two  words ', t: 'wo', d: '2026-02-28', e: '2026-03-31', x: false },
  { a: null, b: null, s: null, t: null, d: '2025-06-15', e: '2025-06-15', x: null },
  { a: 0.1, b: 0.2, s: 'grün 12', t: 'ü', d: '1999-12-31', e: '2000-01-01', x: true },
  { a: 123456.789, b: -4, s: '1.5', t: '.', d: '2024-03-31', e: '2027-02-28', x: false },
]

/** Each with what Calc calls the same, if it has another name there. */
const formulas: (string | [ours: string, theirs: string])[] = [
  ...[
    'a + b',
    'a - b',
    'a * b',
    'a / b',
    'a ^ 2',
    '2 ^ b',
    '-2 ^ 2',
    '2 ^ 3 ^ 2',
    'a% & ""',
    '-a',
    '+a',
    '1 + 2 * 3',
    '(1 + 2) * 3',
    '10 / 3 * 3',
  ],
  ...['a & b', 's & t', 's & " (" & a & ")"', '"it""s " & t', 'a = b', 'a <> b', 'a < b', 'a > b', 'a <= b', 'a >= b'],
  ...['s = t', 's <> "1.5"', 'x = TRUE', 'd < e', 'd = e', 'a + b = 0.3', 'a = ""', 's = ""', 'e - d', 'YEAR(d + 1)', 'MONTH(d - 40)'],
  ...['IF(a > b, "more", "less")', 'IF(x, a, b)', 'IF(a, 1, 2)', 'IF(s = "", "none", s)', 'IF(1 / b > 0, "plus", "minus")'],
  ...['IFS(a > 100, "big", a > 5, "some", TRUE, "few")', 'SWITCH(b, 2, "two", 3, "three", "many")', 'AND(x, a > 0)', 'OR(x, a > 0)'],
  ...['NOT(x)', 'XOR(x, a > 0, b > 0)', 'ISBLANK(a)', 'ISBLANK(d)', 'IFERROR(a / b, 99)', 'IFERROR(SQRT(a), -1)'],
  ...['CONCAT(s, "-", t)', 'CONCATENATE(a, s)', 'LEFT(s)', 'LEFT(s, 3)', 'LEFT(s, 99)', 'RIGHT(s)', 'RIGHT(s, 4)', 'RIGHT(s, 0)'],
  ...['MID(s, 2, 3)', 'MID(s, 1, 0)', 'MID(s, 50, 3)', 'LEN(s)', 'LEN(a)', 'LOWER(s)', 'UPPER(s)', 'PROPER(s)', 'TRIM(s)'],
  ...[
    'SUBSTITUTE(s, "o", "00")',
    'SUBSTITUTE(s, t, "")',
    'SUBSTITUTE(s, "o", "0", 2)',
    'SUBSTITUTE(s, ".", "\\", 1)',
    'SUBSTITUTE(s, " ", "")',
  ],
  ...[
    'REPLACE(s, 2, 3, "*")',
    'REPLACE(s, 1, 0, t)',
    'REPLACE(s, 50, 1, "!")',
    'FIND("o", s)',
    'FIND(IF(t = "", "x", t), s)',
    'FIND("o", s, 5)',
  ],
  ...['SEARCH("L", s)', 'SEARCH("O", s, 4)', 'REPT(t, 3)', 'REPT("ab", b)', 'VALUE(b & "")', 'VALUE("1" & b) + 1'],
  ...[
    'ROUND(a)',
    'ROUND(a, 1)',
    'ROUND(a, -2)',
    'ROUND(2.5)',
    'ROUND(-2.5)',
    'ROUND(1.005, 2)',
    'ROUND(a / 3, b)',
    'ROUNDUP(a)',
    'ROUNDUP(a, 1)',
  ],
  ...[
    'ROUNDUP(a, -1)',
    'ROUNDDOWN(a)',
    'ROUNDDOWN(a, 1)',
    'ROUNDDOWN(a, -1)',
    'CEILING(2.1)',
    'CEILING(ABS(a), 0.5)',
    'FLOOR(ABS(a), 0.5)',
  ],
  ...[
    'FLOOR(2.9)',
    'INT(a)',
    'INT(-a)',
    'MOD(a, 3)',
    'MOD(a, -3)',
    'MOD(a, b)',
    'ABS(a)',
    'SIGN(a)',
    'SQRT(ABS(a))',
    'SQRT(a)',
    'POWER(a, 2)',
  ],
  ...['POWER(ABS(a) + 1, 0.5)', 'POWER(a, -1)', 'POWER(-8, 3)', 'EXP(b)', 'LN(ABS(a) + 1)', 'LN(a)', 'LOG(1000)', 'LOG(8, 2)', 'LOG(a)'],
  ...['SUM(a, b, 1)', 'AVERAGE(a, b)', 'AVERAGE(a, b, 3)', 'MIN(a, b)', 'MAX(a, b)', 'MAX(a, b, 5)', 'COUNTA(a, s, d)'],
  ...['YEAR(d)', 'MONTH(d)', 'DAY(d)', 'WEEKDAY(d)', 'WEEKDAY(d, 2)', 'WEEKDAY(d, 3)', 'ISOWEEKNUM(d)', 'ISOWEEKNUM(e)'],
  ['DATESTR(d)', 'TEXT(d, "YYYY-MM-DD")'],
  ['DATESTR(DATE(2024, 14, 35))', 'TEXT(DATE(2024, 14, 35), "YYYY-MM-DD")'],
  ['DATESTR(DATE(YEAR(d), MONTH(d) + 1, 0))', 'TEXT(DATE(YEAR(d), MONTH(d) + 1, 0), "YYYY-MM-DD")'],
  ['DATESTR(DATE(2026, -3, -20))', 'TEXT(DATE(2026, -3, -20), "YYYY-MM-DD")'],
  ['DATESTR(EOMONTH(d, 1))', 'TEXT(EOMONTH(d, 1), "YYYY-MM-DD")'],
  ['DATESTR(EOMONTH(e, -13))', 'TEXT(EOMONTH(e, -13), "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(d, 1, "month"))', 'TEXT(EDATE(d, 1), "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(e, -12, "M"))', 'TEXT(EDATE(e, -12), "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(e, 1, "years"))', 'TEXT(EDATE(e, 12), "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(d, 1, "quarter"))', 'TEXT(EDATE(d, 3), "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(d, 10, "days"))', 'TEXT(d + 10, "YYYY-MM-DD")'],
  ['DATESTR(DATEADD(d, -2, "weeks"))', 'TEXT(d - 14, "YYYY-MM-DD")'],
  ['DATETIME_DIFF(e, d, "days")', 'e - d'],
  ['DATETIME_DIFF(e, d, "hours")', '(e - d) * 24'],
  ['DATETIME_DIFF(e, d, "weeks")', 'TRUNC((e - d) / 7)'],
  ['DATETIME_DIFF(MAX(d, e), MIN(d, e), "months")', 'DATEDIF(MIN(d, e), MAX(d, e), "m")'],
  ['DATETIME_DIFF(MAX(d, e), MIN(d, e), "years")', 'DATEDIF(MIN(d, e), MAX(d, e), "y")'],
  ['HOUR(DATEADD(d, 5, "hours"))', 'HOUR(d + 5 / 24)'],
  ['MINUTE(DATEADD(d, 90, "minutes"))', 'MINUTE(d + 90 / 1440)'],
  ['SECOND(DATEADD(d, 75, "seconds"))', 'SECOND(d + 75 / 86400)'],
  ['IF(s = BLANK(), "none", "some")', 'IF(s = "", "none", "some")'],
  ['IFBLANK(s, "none")', 'IF(s = "", "none", s)'],
  ['IF(a > 5, FALSE(), TRUE())', 'IF(a > 5, FALSE(), TRUE())'],
]

const names = Object.keys(records[0]!)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** In OpenFormula: names as cells, semicolons between arguments. */
const toCalc = (formula: string, row: number): string =>
  formula.replace(/"(?:[^"]|"")*"|\b[abstdex]\b(?!\()|\b(?:IFS|SWITCH|CONCAT)\(|,/g, (part) => {
    if (part.startsWith('"')) return part
    if (part.endsWith('(')) return `COM.MICROSOFT.${part}`
    return part === ',' ? ';' : `[.${String.fromCharCode(65 + names.indexOf(part))}${row}]`
  })

function cell(found: string | number | boolean | null): string {
  if (found === null) return '<table:table-cell/>'
  if (typeof found === 'number') return `<table:table-cell office:value-type="float" office:value="${found}"/>`
  if (typeof found === 'boolean') return `<table:table-cell office:value-type="boolean" office:boolean-value="${found}"/>`
  if (/^\d{4}-/.test(found)) return `<table:table-cell office:value-type="date" office:date-value="${found}"/>`
  return `<table:table-cell office:value-type="string"><text:p>${[...escaped(found)].map((letter) => (letter === ' ' ? '<text:s/>' : letter)).join('')}</text:p></table:table-cell>`
}

const rows = records.map((record, at) => {
  const computed = formulas.map((formula) => {
    const text = toCalc(typeof formula === 'string' ? formula : formula[1], at + 1)
    return `<table:table-cell table:formula="of:=${escaped(text)}"/>`
  })
  return `<table:table-row>${Object.values(record).map(cell).join('')}${computed.join('')}</table:table-row>`
})
const spaces = ['office', 'table', 'text'].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(' ')
const document = `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${spaces} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="s">${rows.join('\n')}</table:table></office:spreadsheet></office:body></office:document>`

const folder = join(tmpdir(), `formulas-${crypto.randomUUID()}`)
mkdirSync(folder)
writeFileSync(join(folder, 'formulas.fods'), document)
// Comma, UTF-8; values as they are stored, not as they are shown.
const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false'
const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
const child = Bun.spawn(['soffice', profile, '--headless', '--convert-to', filter, '--outdir', folder, join(folder, 'formulas.fods')])
if ((await child.exited) !== 0) process.exit(1)
const found = parse(readFileSync(join(folder, 'formulas.csv')), { relax_column_count: true }) as string[][]

/** Errors are null: Rowhouse leaves such a value empty. */
function toValue(text: string): string | number | boolean | null {
  if (/^(#[A-Z/0!?]+|Err:\d+)$/.test(text)) return null
  if (text === 'TRUE' || text === 'FALSE') return text === 'TRUE'
  return /^-?\d+(\.\d+)?(E[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

const values = formulas.map((formula, at) => ({
  formula: typeof formula === 'string' ? formula : formula[0],
  values: found.map((row) => toValue(row[names.length + at] ?? '')),
}))
writeFileSync(
  join(import.meta.dir, '../tables/formulas/spreadsheet-values.json'),
  `${JSON.stringify({ records, formulas: values }, null, 2)}\n`,
)
rmSync(folder, { recursive: true })
console.log(`${values.length} formulas, ${records.length} records`)
