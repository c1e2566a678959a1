import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@supabase/supabase-js'
import { mostRecords } from '../../../src/records/model'
import { mostRows } from '../../../src/records/postgrest/prepared-query'
import { startApp } from '../../support/app'

const text = readFileSync(join(import.meta.dir, '../../../docs/postgrest.md'), 'utf8')
const blocks = (kind: string) => [...text.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code!)

const app = await startApp({ ROWHOUSE_RPC: 'data.cheapest' })
for (const sql of blocks('sql')) await app.deps.db.sql.unsafe(sql)

test('the program in docs/postgrest.md prints what it says', async () => {
  const [code = ''] = blocks('js')
  const printed: string[] = []
  const log = (...values: unknown[]) => void printed.push(values.map((value) => JSON.stringify(value)).join(' '))
  const body = code.replace(/^import .*$/m, '')
  const AsyncFunction = (async () => {}).constructor as new (...names: string[]) => (...values: unknown[]) => Promise<void>
  await new AsyncFunction('createClient', 'address', 'token', 'console', body)(createClient, app.url, app.tokens.editor, { log })
  const expected = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)/g)].map(([, said]) => said!)
  expect(printed).toEqual(expected)
  expect(expected.length).toBeGreaterThan(4)
})

const [, ...requests] = ['', ...blocks('http')]

test.each(requests)('%s', async (example) => {
  const [asked = '', answered = ''] = example.trim().split('\n\n')
  const [first = '', ...rest] = asked.split('\n')
  const [method = '', path = ''] = first.split(' ')
  const [status, ...expected] = answered.split('\n')
  const { headers, body } = parts(rest)
  const response = await app.call(path, { as: 'editor', method, headers, body })
  expect(response.status).toBe(Number(status))
  const said = parts(expected)
  for (const [name, value] of Object.entries(said.headers)) expect(response.headers.get(name)).toBe(value)
  expect(await response.text()).toBe(said.body ?? '')
})

/** Header lines, then a body. */
function parts(lines: string[]): { headers: Record<string, string>; body: string | undefined } {
  const isHeader = (line: string) => /^[A-Z][\w-]*: /.test(line)
  const headers = Object.fromEntries(lines.filter(isHeader).map((line) => line.split(': ') as [string, string]))
  return { headers, body: lines.filter((line) => !isHeader(line)).join('\n') || undefined }
}

test('the limits stand there', () => {
  for (const limit of [mostRows, mostRecords]) expect(text).toContain(String(limit).replace(/(\d{2})(\d{3})$/, '$1 $2'))
})
