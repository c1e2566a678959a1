import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createApp } from '../../../src/app'
import { failureKinds } from '../../../src/errors'
import { describeApi } from '../../../src/web/openapi/description'
import { workbookMediaType } from '../../../src/xlsx/media-type'
import { json, startApp } from '../../support/app'
import { signInAs } from '../../support/session'

const app = await startApp()
const text = await (await app.call('/swagger/json', { as: 'viewer' })).text()

type Response = { $ref?: string; headers?: object; content?: Record<string, unknown> }
type Operation = {
  operationId: string
  summary?: string
  security?: object[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: object }
  responses: Record<string, Response>
}
const description = JSON.parse(text) as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  security: object[]
  components: {
    schemas: Record<string, { properties: Record<string, { type?: string; enum: string[] }> }>
    securitySchemes: object
    responses: object
  }
}
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const attachments = '/api/v1/tables/{tableId}/records/{pk}/attachments/{columnId}'
const document = '/api/v1/documents/{plugin}/{template}'
const history = '/api/v1/tables/{tableId}/records/{pk}/history/{id}/restore'
const operationAt = (method: string, path: string) => description.paths[path]?.[method] as Operation

const documentTypes = [
  ...['application/pdf', 'text/html', 'text/markdown', 'text/plain'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
]
const feedTypes = ['text/event-stream', 'application/json', 'application/x-ndjson']

describe('the description', () => {
  test('is valid OpenAPI 3.1', async () => {
    expect(description.openapi).toBe('3.1.0')
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true })
  })

  test('has every route, and nothing else', () => {
    const routes = createApp(app.deps).routes.filter(({ hooks }) => !(hooks as { detail?: { hide?: boolean } }).detail?.hide)
    const shown = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1')
    const expected = routes.map(({ method, path }) => `${method.toLowerCase()} ${shown(path)}`)
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected.sort())
  })

  test('hides only what is for browsers', () => {
    const hidden = createApp(app.deps).routes.filter(({ hooks }) => (hooks as { detail?: { hide?: boolean } }).detail?.hide)
    const deep = ['/documents', '/documents/*', '/s/*', '/settings', '/settings/*', '/tables/*']
    // A form: its page, what it sends, and what is shown then.
    const forms = ['/f/*', '/f/:name', '/f/:name', '/f/:name/thanks']
    const pages = ['/', '/assets/:name', '/invite', '/setup', '/sign-in', '/swagger', ...deep, ...forms]
    expect(hidden.map(({ path }) => path).sort()).toEqual(pages.sort())
  })

  test('gives every operation a name of its own, and a summary', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
    expect(operations.filter(({ operation }) => !operation.summary).map(({ path }) => path)).toEqual([])
  })

  test('has no sentence in a translated voice', () => {
    const sentences = [...text.matchAll(/"(?:description|summary)":"((?:[^"\\]|\\.)*)"/g)].map(([, sentence]) => sentence!)
    expect(sentences.length).toBeGreaterThan(500)
    expect(sentences.filter((sentence) => /^Of |\bstands? in\b|left aside|\bwhoever\b|\bis told\b/.test(sentence))).toEqual([])
  })

  test('names the parameters of every path', () => {
    for (const { path, operation } of operations) {
      const named = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect({ path, named }).toEqual({ path, named: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!) })
    }
  })

  test('refers only to what is there', () => {
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      // biome-ignore lint/suspicious/noExplicitAny: a walk through any JSON
      const target = pointer.split('/').reduce((place: any, key) => place?.[key], description)
      expect({ pointer, found: target !== undefined }).toEqual({ pointer, found: true })
    }
  })

  test('knows the three credentials, and who needs none', () => {
    expect(description.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      query: { type: 'apiKey', in: 'query', name: 'token' },
      session: { type: 'apiKey', in: 'cookie', name: 'service_session' },
    })
    expect(description.security).toEqual([{ bearer: [] }, { query: [] }, { session: [] }])
    const isOpen = ({ operation }: { operation: Operation }) => operation.security?.length === 0
    const open = operations.filter(isOpen).map(({ path }) => path.replace('/api/v1', ''))
    const auth = ['/auth/invite', '/auth/invite/check', '/auth/login', '/auth/setup', '/auth/setup-status']
    expect([...new Set(open)].sort()).toEqual([
      ...auth,
      '/forms/{name}',
      '/healthz',
      '/readyz',
      '/s/{token}',
      '/s/{token}/files/{fileId}',
      '/version',
    ])
    // A template may be public; with the credential, a client gets the others, too.
    for (const [method, path] of [
      ['get', '/api/v1/documents'],
      ['get', document],
      ['post', document],
    ] as const)
      expect(operationAt(method, path).security).toEqual([{}, ...description.security])
    expect(operationAt('post', '/api/v1/auth/logout').security).toEqual([{ session: [] }])
  })

  test('describes bodies as JSON, unless a route reads another type, and failures as problems', () => {
    const file = ['text/csv', workbookMediaType, 'multipart/form-data']
    const others: Record<string, string[]> = {
      // The password of a share link comes from a form that needs no script.
      '/s/{token}': ['application/x-www-form-urlencoded'],
      '/api/v1/tables/import': file,
      '/api/v1/tables/{tableId}/import': file,
      [attachments]: ['multipart/form-data', '*/*'],
      [document]: ['application/json', 'application/x-www-form-urlencoded'],
    }
    for (const { path, operation } of operations) {
      if (operation.requestBody)
        expect({ path, types: Object.keys(operation.requestBody.content) }).toEqual({ path, types: others[path] ?? ['application/json'] })
      const form = path.startsWith('/rest/v1') ? 'RestError' : 'Problem'
      expect(operation.responses.default).toEqual({ $ref: `#/components/responses/${form}` } as never)
    }
    expect(description.components.schemas.Problem?.properties.code?.enum.sort()).toEqual([...failureKinds].sort())
  })

  test.each([
    ['get', '/api/v1/tables/{tableId}/export.csv', 200, ['text/csv']],
    ['get', '/api/v1/tables/{tableId}/export.xlsx', 200, [workbookMediaType]],
    ['get', `${attachments}/{fileId}`, 206, ['*/*']],
    ['get', '/s/{token}/files/{fileId}', 200, ['*/*']],
    ['get', '/api/v1/backups/{id}/file', 200, ['application/octet-stream']],
    ['post', '/api/v1/tables/import', 200, ['application/json']],
    ['post', '/api/v1/tables/import', 201, ['application/json']],
    ['get', '/api/v1/documents', 200, ['application/json']],
    ['get', document, 200, documentTypes],
    ['post', document, 200, documentTypes],
    ['post', document, 201, ['application/json']],
    ['get', '/api/v1/changes', 200, feedTypes],
    ['get', '/api/v1/tables/{tableId}/changes', 200, feedTypes],
    ['post', history, 200, ['application/json']],
    ['post', '/api/v1/tables/{tableId}/trash/{id}/restore', 201, ['application/json']],
  ] as const)('describes the answer of %s %s with %p by its type', (method, path, status, types) => {
    expect(Object.keys(operationAt(method, path).responses[status]?.content ?? {})).toEqual([...types])
  })

  test.each([
    ['get', `${attachments}/{fileId}`, ['size', 'page', 'download', 'Range', 'If-None-Match', 'If-Range']],
    ['post', attachments, ['name', 'replace', 'Idempotency-Key']],
    ['get', document, ['format', 'language', 'params']],
    ['post', document, ['format', 'language', 'params']],
    ['get', '/api/v1/changes', ['tables', 'wait', 'after', 'Last-Event-ID']],
    ['get', '/api/v1/tables/{tableId}/changes', ['wait', 'after', 'Last-Event-ID']],
    ['post', history, ['dryRun', 'If-Match']],
  ] as const)('describes the parameters of %s %s beside those of the path', (method, path, names) => {
    const parameters = operationAt(method, path).parameters ?? []
    expect(parameters.filter(({ in: location }) => location !== 'path').map(({ name }) => name)).toEqual([...names])
  })

  test('leaves nothing of Elysia’s own in the schemas', () => {
    expect(text).not.toContain('"nullable"')
    expect(text).not.toContain('patternProperties')
    expect(description.components.schemas.User?.properties.role).toEqual({ type: 'string', enum: ['admin', 'editor', 'viewer'] })
    const limit = operationAt('get', '/api/v1/tables/{tableId}/records').parameters?.find(({ name }) => name === 'limit')
    expect(limit).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1, maximum: 10_000 } })
  })

  test('is what `rowhouse openapi` prints', async () => {
    const child = Bun.spawn(['bun', resolve(import.meta.dir, '../../../src/main.ts'), 'openapi'], {
      stdout: 'pipe',
      env: { PATH: process.env.PATH },
    })
    expect(JSON.parse(await new globalThis.Response(child.stdout).text())).toEqual(JSON.parse(text))
    expect(await child.exited).toBe(0)
  })
})

describe('what really happens is described:', () => {
  const table = '/api/v1/tables/{tableId}'
  const schemas = description.components.schemas as Record<string, { examples?: unknown[] }>

  /** Calls, and holds the answer to the description: status, kind of body, headers. */
  const check = async (
    method: string,
    path: string,
    values: Record<string, string>,
    call: Parameters<typeof app.call>[1],
    status: number,
  ) => {
    const response = await app.call(
      path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ''),
      { method: method.toUpperCase(), as: 'admin', ...call },
    )
    expect({ method, path, status: response.status }).toEqual({ method, path, status })
    const described = operationAt(method, path).responses[status]
    expect({ method, path, status, isDescribed: described !== undefined }).toEqual({ method, path, status, isDescribed: true })
    if (status < 400) {
      const type = response.headers.get('content-type')?.split(';')[0]
      expect(type ? [type] : []).toEqual(Object.keys(described?.content ?? {}))
      for (const name of Object.keys(described?.headers ?? {})) expect(response.headers.has(name)).toBe(true)
    }
    return response
  }

  test('a table, made from the example', async () => {
    await check('post', '/api/v1/tables', {}, { body: schemas.NewTable?.examples?.[0] }, 201)
    await check('post', '/api/v1/tables', {}, { body: schemas.NewTable?.examples?.[0] }, 409)
    await check('post', '/api/v1/tables', {}, { body: {} }, 422)
    await check('post', '/api/v1/tables', {}, { body: {}, as: 'viewer' }, 403)
    await check('post', '/api/v1/tables', {}, { body: {}, as: undefined }, 401)
    await check('get', '/api/v1/tables', {}, {}, 200)
    await check('get', table, { tableId: 'books' }, {}, 200)
    await check('get', table, { tableId: 'nothing' }, {}, 404)
  })

  test('its records', async () => {
    const books = { tableId: 'books' }
    const made = await check('post', `${table}/records`, books, { body: schemas.Record?.examples?.[0] }, 201)
    const values = { ...books, pk: String((await json(made)).id) }
    await check('post', `${table}/records`, books, { body: '{' }, 400)
    await check('post', `${table}/records`, books, { body: 'title=x', headers: { 'content-type': 'text/plain' } }, 415)
    await check('get', `${table}/records`, books, {}, 200)
    const read = await check('get', `${table}/records/{pk}`, values, {}, 200)
    const etag = read.headers.get('etag') ?? ''
    await check('get', `${table}/records/{pk}`, values, { headers: { 'if-none-match': etag } }, 304)
    await check('patch', `${table}/records/{pk}`, values, { body: { pages: 1 }, headers: { 'if-match': etag } }, 200)
    await check('patch', `${table}/records/{pk}`, values, { body: { pages: 2 }, headers: { 'if-match': etag } }, 412)
    await check('delete', `${table}/records/{pk}`, values, { headers: { 'if-match': etag } }, 412)
    await check('delete', `${table}/records/{pk}`, values, {}, 204)
    await check('delete', `${table}/records/{pk}`, values, {}, 404)
  })

  test.each(['', '/api/v1'])('tokens, made from the example, under "%s"', async (root) => {
    const made = await check('post', `${root}/auth/tokens`, {}, { body: schemas.NewToken?.examples?.[0] }, 201)
    await check('get', `${root}/auth/tokens`, {}, {}, 200)
    const { id } = await json(made)
    await check('get', `${root}/auth/tokens/{id}/refusals`, { id }, {}, 200)
    await check('delete', `${root}/auth/tokens/{id}`, { id }, {}, 204)
    await check('delete', `${root}/auth/tokens/{id}`, { id }, {}, 404)
    await check('get', `${root}/auth/me`, {}, {}, 200)
    await check('post', `${root}/auth/logout`, {}, {}, 403)
    await check('post', `${root}/auth/login`, {}, { body: schemas.Credentials?.examples?.[0], as: undefined }, 401)
    await check('post', `${root}/auth/setup`, {}, { body: schemas.Credentials?.examples?.[0], as: undefined }, 409)
    for (const path of ['/auth/setup-status', '/healthz', '/readyz', '/version'])
      await check('get', root + path, {}, { as: undefined }, 200)
  })

  test('users, from the first to the last word about them', async () => {
    const users = '/api/v1/users'
    const { user } = await json(await check('post', users, {}, { body: schemas.NewUser?.examples?.[0] }, 201))
    await check('post', users, {}, { body: schemas.NewUser?.examples?.[0] }, 409)
    await check('post', users, {}, { body: {}, as: 'editor' }, 403)
    await check('get', users, {}, {}, 200)
    await check('get', `${users}/{id}`, user, {}, 200)
    await check('get', `${users}/{id}`, { id: '1' }, {}, 404)
    await check('patch', `${users}/{id}`, user, { body: schemas.UserPatch?.examples?.[0] }, 200)
    await check('patch', `${users}/{id}`, user, { body: {} }, 422)
    await check('patch', `${users}/{id}`, user, { body: { disabled: false } }, 200)
    const { inviteToken } = await json(await check('post', `${users}/{id}/reset`, user, {}, 200))
    const secret = { inviteToken, password: 'a few unrelated words' }
    for (const root of ['', '/api/v1']) await check('post', `${root}/auth/invite/check`, {}, { body: { inviteToken }, as: undefined }, 200)
    await check('post', '/auth/invite', {}, { body: { ...secret, password: 'short' }, as: undefined }, 422)
    await check('post', '/auth/invite', {}, { body: secret, as: undefined }, 200)
    await check('post', '/api/v1/auth/invite', {}, { body: secret, as: undefined }, 404)
    await check('delete', `${users}/{id}/sessions`, user, {}, 204)
    await check('delete', `${users}/{id}`, user, {}, 204)
    await check('delete', `${users}/{id}`, user, {}, 404)
    await check('get', '/api/v1/audit', {}, {}, 200)
    await check('get', '/api/v1/audit', {}, { as: 'viewer' }, 403)
  })

  test.each(['', '/api/v1'])('sessions and the password, under "%s"', async (root) => {
    const cookie = await signInAs(app, 'viewer')
    const own = { as: undefined, headers: { cookie } }
    const { sessions } = await json(await check('get', `${root}/auth/sessions`, {}, own, 200))
    const change = { currentPassword: 'not this one', newPassword: 'some other unrelated words' }
    await check('post', `${root}/auth/password`, {}, { ...own, body: change }, 403)
    await check('post', `${root}/auth/password`, {}, { ...own, body: { ...change, newPassword: 'short' } }, 422)
    await check('delete', `${root}/auth/sessions`, {}, own, 204)
    await check('delete', `${root}/auth/sessions/{id}`, { id: Bun.randomUUIDv7() }, own, 404)
    await check('delete', `${root}/auth/sessions/{id}`, sessions[0], own, 204)
    await check('get', `${root}/auth/sessions`, {}, own, 401)
  })

  test('and the description is the same after all of it', async () => {
    const again = await describeApi(createApp(app.deps))
    expect(JSON.parse(JSON.stringify(again))).toEqual(JSON.parse(text))
  })
})
