import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { asJson, makeLink, openAsJson, statusOf } from '../support/links'
import { bearer, makePerson } from '../support/people'
import { pluginsWith } from '../support/plugins'
import { expectProblem } from '../support/problem'

const template = (body: string) => `import { documentTemplate, t } from 'rowhouse/plugin'\nexport default documentTemplate({ ${body} })\n`
const app = await startApp(
  {},
  {
    plugins: pluginsWith({
      'books/card/template.ts': template(`title: 'A card', public: false, params: t.Object({ id: t.Integer() }),
        allow: ({ actor }) => actor.user.role !== 'viewer',
        load: async ({ records, params, actor }) => ({ book: await records('books').find(params.id), by: actor.user.email }),
        formats: { html: 'card.liquid', txt: 'card.liquid' }`),
      'books/card/card.liquid': '{{ book.title }} for {{ by }}',
      'books/sees/template.ts': template(`title: 'What it sees', public: true, allow: async ({ auth }) => (await auth.optional()) !== null,
        load: async (call) => ({ seen: JSON.stringify([call.path, call.method, [...call.headers], call.query, (await call.auth.require()).user.email]) }),
        formats: { txt: 'sees.liquid' }`),
      'books/sees/sees.liquid': '{{ seen }}',
      'books/wrong/template.ts': template(`title: 'Wrong', public: false, params: t.Object({ isRight: t.Boolean() }), allow: () => true,
        load: ({ params }) => params, formats: { txt: 'wrong.liquid' }`),
      'books/wrong/wrong.liquid': '{% if isRight %}right{% else %}{% render "the-secret-part.liquid" %}{% endif %}',
    }),
  },
)
await app.call('/api/v1/tables', { as: 'admin', body: { name: 'books', columns: [{ name: 'title', type: 'text' }] } })
await app.call('/api/v1/tables/books/records', { as: 'editor', body: [{ title: 'Emma' }, { title: 'Persuasion' }] })
const card = { plugin: 'books', template: 'card', format: 'txt', params: { id: 1 } }

describe('a link to a document', () => {
  test('makes it as its issuer, anew at each opening', async () => {
    const { path } = await makeLink(app, { document: card })
    expect(await (await app.call(path)).text()).toBe('Emma for editor@example.org')
    await app.call('/api/v1/tables/books/records/1', { as: 'editor', method: 'PATCH', body: { title: 'Emma, 2nd' } })
    const response = await app.call(path, { headers: bearer(app.tokens.admin) })
    expect(await response.text()).toBe('Emma, 2nd for editor@example.org')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': 'inline; filename="card.txt"',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex, nofollow, noarchive',
    })
    const page = await makeLink(app, { document: { ...card, format: undefined } })
    expect((await app.call(page.path)).headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'none'",
    )
  })

  test('says to programs where it is, and counts that as the opening', async () => {
    const { path } = await makeLink(app, { document: card, maxOpens: 1 })
    const answer = await openAsJson(app, path)
    expect(answer).toEqual({ kind: 'document', name: 'card.txt', format: 'txt', url: expect.stringContaining(`${path}?opening=`) })
    expect(await statusOf(app, path)).toBe(404)
    expect(await (await app.call(answer.url)).text()).toContain('Emma')
  })

  test('is refused to whoever may not make it, or asks for it in a wrong way', async () => {
    const make = (document: object, as: 'editor' | 'viewer' = 'editor') => app.call('/api/v1/links', { as, body: { document } })
    await expectProblem(await make(card, 'viewer'), 403, 'forbidden')
    await expectProblem(await make({ ...card, params: { id: 'x' } }), 422, 'validation_failed')
    await expectProblem(await make({ ...card, format: 'pdf' }), 404, 'not_found')
    for (const params of [
      { id: 1, x: 'a\0' },
      { id: 1, x: ['\ud800'] },
      { id: 1, 'a\0': 1 },
    ]) {
      const { errors } = await expectProblem(await make({ ...card, params }), 422, 'validation_failed')
      expect(errors!.map(({ path }) => path)).toEqual(['/document'])
    }
  })

  test('closes when its issuer may not make it any more, and with its record', async () => {
    const { user, token } = await makePerson(app)
    const { url } = await json(app.call('/api/v1/links', { headers: bearer(token), body: { document: card } }))
    const path = url.slice(app.url.length)
    expect(await statusOf(app, path)).toBe(200)
    await app.call(`/api/v1/users/${user.id}`, { as: 'admin', method: 'PATCH', body: { role: 'viewer' } })
    expect(await statusOf(app, path)).toBe(404)
    const ofRecord = await makeLink(app, { table: 'books', pk: 2, document: card })
    expect(ofRecord).toMatchObject({ kind: 'document', table: 'books', pk: '2' })
    await app.call('/api/v1/tables/books/records/2', { as: 'editor', method: 'DELETE' })
    expect(await statusOf(app, ofRecord.path)).toBe(404)
  })

  test('is listed and revoked with the token that made it, though the token is restricted to tables', async () => {
    const body = { name: 'books', scope: 'write', tables: ['books'] }
    const makeToken = () => json(app.call('/auth/tokens', { as: 'editor', body }))
    const [first, second] = [await makeToken(), await makeToken()]
    const { id } = await json(app.call('/api/v1/links', { headers: bearer(first.token), body: { document: card } }))
    const idsFor = async ({ token }: { token: string }) =>
      (await json(app.call('/api/v1/links', { headers: bearer(token) }))).links.map((link: { id: string }) => link.id)
    expect(await idsFor(first)).toContain(id)
    expect(await idsFor(second)).not.toContain(id)
    const revoke = ({ token }: { token: string }) => app.call(`/api/v1/links/${id}`, { method: 'DELETE', headers: bearer(token) })
    await expectProblem(await revoke(second), 404, 'not_found')
    expect((await revoke(first)).status).toBe(204)
  })

  test('shows a plugin nothing of the visitor, and not the secret of the link', async () => {
    const { path } = await makeLink(app, { document: { plugin: 'books', template: 'sees' } })
    const headers = {
      ...bearer(app.tokens.admin),
      cookie: 'service_session=x',
      referer: app.url + path,
      'x-visitor': 'me',
      'accept-language': 'de',
    }
    const text = await (await app.call(`${path}?who=me`, { headers })).text()
    expect(JSON.parse(text)).toEqual(['/api/v1/documents/books/sees', 'GET', [['accept-language', 'de']], {}, 'editor@example.org'])
  })

  test('tells nobody of a mistake in its template, though an administrator made it', async () => {
    const { id, path } = await makeLink(app, { document: { plugin: 'books', template: 'wrong', params: { isRight: true } } }, 'admin')
    await app.deps.db.query(
      `update rowhouse.share_links set document = '{"plugin": "books", "template": "wrong", "params": {"isRight": false}}' where id = $1::uuid`,
      [id],
    )
    for (const headers of [asJson, {}] as Record<string, string>[]) {
      const response = await app.call(headers === asJson ? (await openAsJson(app, path)).url : path, { headers: {} })
      expect(response.status).toBe(500)
      const text = await response.text()
      expect(text).not.toContain('secret-part')
      expect(text).not.toContain(path)
    }
    const [row] = await app.deps.db.query<{ opens: number }>('select opens from rowhouse.share_links where id = $1::uuid', [id])
    // Only the answer for programs was an opening.
    expect(row!.opens).toBe(1)
  })
})
