import { afterAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { password, startApp } from '../support/app'
import { closeBrowser, openWindow } from '../support/chromium'
import { newFolder } from '../support/executable'
import { freePort } from '../support/ports'

/** A site of somebody else's, with the library that its pages load; its origin is known before it is served. */
const port = freePort()
const site = `http://127.0.0.1:${port}`
const built = await Bun.build({
  entrypoints: [fileURLToPath(import.meta.resolve('@supabase/supabase-js'))],
  target: 'browser',
  format: 'esm',
  outdir: newFolder(),
})
const library = await built.outputs[0]!.text()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port,
  routes: {
    '/supabase.js': () => new Response(library, { headers: { 'content-type': 'text/javascript' } }),
    '/': () => new Response('<!doctype html><title>Shop</title>', { headers: { 'content-type': 'text/html' } }),
  },
})
const [app, closed] = await Promise.all([startApp({ ROWHOUSE_CORS_ORIGINS: site }), startApp()])
for (const { call } of [app, closed])
  await call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text', unique: true }] } })

afterAll(async () => {
  await closeBrowser()
  await server.stop(true)
})

async function openSite(): Promise<Page> {
  const { page } = await openWindow()
  await page.goto(site)
  return page
}

type Init = { method?: string; body?: string; headers?: Record<string, string>; credentials?: 'include' }

/** What a page of the site gets of a request; `failed` when the browser keeps it from the page. */
const fetchIn = (page: Page, url: string, init: Init) =>
  page.evaluate(
    ([url, init]) =>
      fetch(url, init).then(
        async (response) => ({ status: response.status, requestId: response.headers.get('x-request-id') }),
        () => 'failed' as const,
      ),
    [url, init] as const,
  )

test('supabase-js works from a page of an origin of the settings', async () => {
  const page = await openSite()
  const told = await page.evaluate(
    async ([url, token, path]) => {
      const { createClient } = (await import(path)) as typeof import('@supabase/supabase-js')
      const supabase = createClient(url, token, { db: { schema: 'data' } })
      const inserted = await supabase
        .from('books')
        .insert([{ title: 'Emma' }, { title: 'Persuasion' }])
        .select('title')
      const counted = await supabase.from('books').select('*', { count: 'exact', head: true })
      const changed = await supabase.from('books').update({ title: 'Sanditon' }).eq('title', 'Emma').select('title')
      const twice = await supabase.from('books').insert({ title: 'Sanditon' })
      const removed = await supabase.from('books').delete().eq('title', 'Sanditon')
      const refused = await createClient(url, 'wrong', { db: { schema: 'data' } })
        .from('books')
        .select()
      return {
        inserted: inserted.data,
        count: counted.count,
        changed: changed.data,
        twice: twice.error?.code,
        removed: removed.status,
        refused: refused.status,
      }
    },
    [app.url, app.tokens.editor, '/supabase.js'] as const,
  )
  expect(told).toEqual({
    inserted: [{ title: 'Emma' }, { title: 'Persuasion' }],
    count: 2,
    changed: [{ title: 'Sanditon' }],
    twice: '23505',
    removed: 204,
    refused: 401,
  })
})

test('a page of another origin gets nothing of a token’s answers, and the cookie of a user is of no use to any', async () => {
  const page = await openSite()
  const withToken = { headers: { authorization: `Bearer ${app.tokens.viewer}` } }
  expect(await fetchIn(page, `${app.url}/api/v1/tables`, withToken)).toEqual({ status: 200, requestId: expect.any(String) })
  expect(await fetchIn(page, `${app.url}/api/v1/tables?token=${app.tokens.viewer}`, {})).toMatchObject({ status: 200 })
  expect(await fetchIn(page, `${closed.url}/api/v1/tables?token=${closed.tokens.viewer}`, {})).toBe('failed')
  // To cookies, other ports of one host are one place: the browser sends the session along.
  const login = await app.call('/auth/login', { body: { email: 'editor@example.org', password } })
  const [, value = ''] = /service_session=([^;]+)/.exec(login.headers.get('set-cookie')!)!
  await page.context().addCookies([{ name: 'service_session', value, url: app.url }])
  const own = await page.context().newPage()
  await own.goto(app.url)
  expect(await fetchIn(own, '/auth/me', {})).toMatchObject({ status: 200 })
  for (const init of [{}, withToken, { method: 'POST', body: '{"title": "Stolen"}', headers: { 'content-type': 'application/json' } }])
    expect(await fetchIn(page, `${app.url}/api/v1/tables/books/records`, { ...init, credentials: 'include' })).toBe('failed')
  const books = await app.call('/api/v1/tables/books/records?title=eq.Stolen', { as: 'viewer' })
  expect(await books.json()).toMatchObject({ records: [] })
})
