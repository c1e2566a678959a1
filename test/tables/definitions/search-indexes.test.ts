import { beforeAll, expect, test } from 'bun:test'
import { readPart, withoutSearchIndexes } from '../../../src/backup/database-copy/definitions'
import { readLogicalDatabase } from '../../../src/backup/logical/database'
import { connectDirectly } from '../../../src/db/pool/open'
import { planSearch } from '../../../src/records/query/plan/search'
import { planSearchCandidates } from '../../../src/records/query/plan/search-candidates'
import { searchIndexName } from '../../../src/tables/catalog/search-text'
import { identifier } from '../../../src/tables/ddl'
import { maintainSearchIndexes } from '../../../src/tables/definitions/search-indexes'
import { json, startApp } from '../../support/app'
import { until } from '../../support/processes'
import { rejection } from '../../support/rejection'

const app = await startApp()
const { db, catalog } = app.deps
const send = (path: string, body?: unknown, method?: string) =>
  app.call(`/api/v1/tables${path}`, { as: 'admin', ...(body ? { body } : {}), ...(method ? { method } : {}) })
const succeed = async (path: string, body?: unknown, method?: string) => {
  const response = await send(path, body, method)
  if (!response.ok) throw new Error(await response.text())
}
const state = async () => (await json(send('/books/search-index'))).state
const build = async () => {
  await maintainSearchIndexes(app.deps)
  expect(await state()).toBe('ready')
}
const indexes = () =>
  db.query<{ oid: string; name: string; isValid: boolean }>(
    `select indexrelid::text as oid, relname as name, indisvalid as "isValid" from pg_index join pg_class on oid = indexrelid
     where relname like 'search\\_%'`,
  )
const found = async (q: string) => (await json(send(`/books/records?q=${q}`))).records.map(({ title }: { title: string }) => title)

beforeAll(async () => {
  await succeed('', { name: 'books', columns: [{ name: 'title', type: 'text' }] })
  await succeed('/books/records', [{ title: 'Zoë and Łukasz' }, { title: 'Birch' }])
  await succeed('/books', { searchIndex: true }, 'PATCH')
  await build()
})

test('records are written while the index is built, and the build shows', async () => {
  await succeed('/books', { searchIndex: false }, 'PATCH')
  await maintainSearchIndexes(app.deps)
  const reader = connectDirectly(app.target, app.deps.config)
  await reader.unsafe('begin isolation level repeatable read')
  await reader.unsafe('select from data.books')
  await succeed('/books', { searchIndex: true }, 'PATCH')
  await until('the build waits for the older transaction', async () => (await indexes()).length === 1)
  expect(await json(send('/books/search-index'))).toEqual({ state: 'building', progress: expect.any(Number) })
  expect((await json(send('/books'))).searchIndex).toBe('building')
  await succeed('/books/records', { title: 'Written meanwhile' })
  expect(await found('meanwhile')).toEqual(['Written meanwhile'])
  await reader.unsafe('commit')
  await reader.end()
  await build()
  expect(await found('meanwhile')).toEqual(['Written meanwhile'])
})

test('a change of the columns does not wait for the build, which begins anew after it', async () => {
  await succeed('/books', { searchIndex: false }, 'PATCH')
  await maintainSearchIndexes(app.deps)
  const reader = connectDirectly(app.target, app.deps.config)
  // The build waits for each older snapshot, even of a transaction that does not read this table.
  await reader.unsafe('begin isolation level repeatable read')
  await reader.unsafe('select 1')
  await succeed('/books', { searchIndex: true }, 'PATCH')
  await until('the build waits for the older transaction', async () => (await indexes()).length === 1)
  await succeed('/books/columns', { name: 'author', type: 'text' })
  await reader.unsafe('commit')
  await reader.end()
  await build()
  expect(await indexes()).toEqual([expect.objectContaining({ isValid: true })])
})

/** A build that waits until `end`. */
async function startWaitingBuild(definitions = app.deps) {
  await succeed('/books', { searchIndex: false }, 'PATCH')
  await maintainSearchIndexes(app.deps)
  const reader = connectDirectly(app.target, app.deps.config)
  await reader.unsafe('begin isolation level repeatable read')
  await reader.unsafe('select 1')
  await db.query('update rowhouse.tables set is_search_indexed = true where id = $1::uuid', [(await json(send('/books'))).id])
  await db.query('update rowhouse.catalog_version set version = version + 1')
  const built = maintainSearchIndexes(definitions)
  return { built, end: () => reader.end() }
}

const running = `select pid from pg_stat_activity where query like 'create index concurrently%' and state = 'active'`

test('a time limit of the role does not end the build', async () => {
  const [database] = await db.query<{ name: string }>('select current_database() as name')
  const alter = `alter database ${identifier(database!.name)}`
  // Long enough for every other statement of a busy machine.
  await db.query(`${alter} set statement_timeout = '4s'`)
  try {
    const pooled = await startApp({ DATABASE_PREPARE: '0' }, { beside: app })
    const { built, end } = await startWaitingBuild(pooled.deps)
    await until('the build runs for longer than the limit', async () => {
      const long = await db.query(`${running} and query_start < now() - interval '5 s'`)
      return long.length === 1
    })
    await end()
    await built
  } finally {
    await db.query(`${alter} reset statement_timeout`)
  }
  expect(await state()).toBe('ready')
})

test('a build that is canceled again and again ends, and administrators see why', async () => {
  const { built, end } = await startWaitingBuild()
  const failure = rejection(built)
  let isEnded = false
  void failure.then(() => {
    isEnded = true
  })
  await until('the build gives up', async () => {
    await db.query(`select pg_cancel_backend(pid) from (${running}) r`)
    return isEnded
  })
  expect(await failure).toMatchObject({ code: '57014' })
  await end()
  const view = { state: 'building', progress: 0 }
  const problem = 'canceling statement due to user request'
  expect(await json(send('/books/search-index'))).toEqual({ ...view, problem })
  expect(await json(app.call('/api/v1/tables/books/search-index', { as: 'editor' }))).toEqual(view)
  await build()
  expect(await json(send('/books/search-index'))).toEqual({ state: 'ready', progress: 1 })
})

test('a table whose index cannot be built does not keep others waiting', async () => {
  await succeed('', { name: 'alone', columns: [{ name: 'title', type: 'text' }] })
  const name = searchIndexName((await catalog.refresh()).byName.get('alone')!)
  await db.query(`create sequence data.${name}`)
  await succeed('/books', { searchIndex: false }, 'PATCH')
  await maintainSearchIndexes(app.deps)
  await succeed('/alone', { searchIndex: true }, 'PATCH')
  await succeed('/books', { searchIndex: true }, 'PATCH')
  expect(await rejection(maintainSearchIndexes(app.deps))).toMatchObject({ code: '42P07' })
  expect(await state()).toBe('ready')
  expect((await json(send('/alone/search-index'))).problem).toContain('already exists')
  await db.query(`drop sequence data.${name}`)
  await build()
  expect(await json(send('/alone/search-index'))).toEqual({ state: 'ready', progress: 1 })
  await succeed('/alone?confirm=alone', undefined, 'DELETE')
})

test('an index that became valid after its service was killed is used', async () => {
  const { name } = (await indexes())[0]!
  const setValid = (isValid: boolean) => db.query(`update pg_index set indisvalid = ${isValid} where indexrelid = 'data.${name}'::regclass`)
  await setValid(false)
  await catalog.refresh()
  expect((await catalog.current()).byName.get('books')!.searchIndex.ready).toBeNull()
  await setValid(true)
  expect(await state()).toBe('building')
  await build()
  expect((await indexes()).map((index) => index.name)).toEqual([name])
})

test('a change that writes all records anew does not write the index within it', async () => {
  const [before] = await indexes()
  await succeed('/books/columns', { name: 'is read', type: 'boolean' })
  await build()
  expect(await indexes()).toEqual([before!])
  await succeed('/books/columns', { name: 'is long', type: 'formula', options: { formula: 'LEN(title) > 5' } })
  await build()
  const [after] = await indexes()
  expect(after).toEqual({ ...before!, oid: expect.not.stringContaining(before!.oid) })
  await succeed('/books/columns/is%20long', { options: { formula: 'LEN(title) > 6' } }, 'PATCH')
  await build()
  expect((await indexes())[0]!.oid).not.toBe(after!.oid)
  await succeed('/books/columns', { name: 'state', type: 'select', options: { choices: ['open', 'done'] } })
  await build()
  const [withState] = await indexes()
  await succeed('/books/columns/state', { renameChoices: { open: 'new' } }, 'PATCH')
  await build()
  expect((await indexes())[0]!.oid).not.toBe(withState!.oid)
})

test('is not used for callers from whom rules keep records', async () => {
  const tables = await catalog.current()
  const table = tables.byName.get('books')!
  const search = planSearch(tables, table, 'birch')
  expect(planSearchCandidates(table, search)).not.toBeNull()
  const access = { read: { sql: 'true', caller: { id: '', email: '', groups: [] } }, delete: 'none', writes: [] } as const
  expect(planSearchCandidates({ ...table, access }, search)).toBeNull()
})

test('copies of the database are made without it', async () => {
  const sql = connectDirectly(app.target, app.deps.config)
  const { extensions } = await readLogicalDatabase(sql, ['data'])
  expect(extensions).toContainEqual({ name: 'pg_trgm', schema: 'rowhouse', isRequired: false })
  await sql.end()
  const { behindRows } = await readPart({ target: app.target, config: app.deps.config }, ['--schema="data"'], new AbortController().signal)
  expect(behindRows).toContain('books_pkey')
  expect(behindRows).not.toMatch(/search_[0-9a-f]{32}/)
})

test('what follows it in a copy stays', () => {
  const entry = (name: string, type = 'INDEX') => `--\n-- Name: ${name}; Type: ${type}; Schema: data; Owner: -\n--\n\nCREATE ${name};\n\n`
  const own = `search_${'0a'.repeat(16)}`
  const kept = [entry('books_title_idx'), entry('search_me'), entry('books rule', 'RULE')]
  const left = withoutSearchIndexes(`${kept[0]}${entry(own)}${kept[1]}${kept[2]}`)
  expect(left.replaceAll('--\n', '')).toBe(kept.join('').replaceAll('--\n', ''))
})

test('a table whose key has several columns gets none', async () => {
  const columns = ['shelf', 'place'].map((name) => ({ name, type: 'integer', required: true }))
  await succeed('', { name: 'shelves', primaryKey: ['shelf', 'place'], columns })
  const refused = await send('/shelves', { searchIndex: true }, 'PATCH')
  expect([refused.status, (await refused.json()).message]).toEqual([
    409,
    'The search cannot have an index: the key of the table has several columns.',
  ])
})

test('a database that does not allow the extension says so', async () => {
  await succeed('/books', { searchIndex: false }, 'PATCH')
  await maintainSearchIndexes(app.deps)
  await db.query('drop extension pg_trgm')
  await db.query(`create function public.forbid() returns event_trigger language plpgsql as $$ begin raise insufficient_privilege; end $$`)
  await db.query(`create event trigger forbid on ddl_command_start when tag in ('CREATE EXTENSION') execute function public.forbid()`)
  const refused = await send('/books', { searchIndex: true }, 'PATCH')
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({
      message: 'The search cannot have an index: the database lacks the extension pg_trgm, or Rowhouse may not use it.',
      hint: 'Let a superuser run: create extension if not exists pg_trgm with schema rowhouse;',
    }),
  ])
  expect(await state()).toBe('none')
  await db.query('drop event trigger forbid')
  await succeed('/books', { searchIndex: true }, 'PATCH')
  await build()
})
