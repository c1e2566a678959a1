import { describe, expect, test } from 'bun:test'
import { createApp } from '../../src/app'
import { json, startApp } from '../support/app'
import { signInAs } from '../support/session'

// Made before: a route that kept anything of that one would judge by its users and its database.
await startApp()
const app = await startApp()

type Need = 'open' | { area: string; role?: string; cookieOnly?: boolean }
const routes = createApp(app.deps).routes.map(({ method, path, hooks }) => {
  const { detail } = hooks as { detail?: { 'x-needs'?: Need } }
  // Elysia writes the index of a group with a slash at its end and answers without it too.
  return { method, path: path.replace(/(.)\/$/, '$1'), need: detail?.['x-needs'] }
})

/** Mounted beside the hooks of `auth/`, since `http/` ranks below it; open by spec 5.4 and DESIGN.md. */
const health = ['/healthz', '/readyz', '/version'].flatMap((path) => [path, `/api/v1${path}`])
/** All else that is open: spec 5.4, and the files of the web UI, which hold no data. */
const open = [
  ...['/setup-status', '/setup', '/login', '/invite', '/invite/check'].flatMap((path) => [`/auth${path}`, `/api/v1/auth${path}`]),
  ...['/', '/setup', '/invite', '/sign-in', '/tables/*', '/settings', '/settings/*', '/documents', '/documents/*'],
  ...['/assets/:name', '/swagger'],
  // R9: the document generator asks by itself; test/documents/routes.test.ts holds each template to what it says.
  ...['/api/v1/documents', '/api/v1/documents/:plugin/:template', '/api/v1/documents/:plugin/:template'],
  // A share link asks for its own secret and password, and reads with the rights of its issuer (test/links).
  ...['/s/:token', '/s/:token', '/s/:token/files/:fileId', '/s/*'],
  // Public forms can add and never read; a proof of work and a budget stand in for a caller (test/forms).
  ...['/api/v1/forms/:name', '/api/v1/forms/:name', '/f/:name', '/f/:name', '/f/:name/thanks', '/f/*'],
]

/** The code of a failure; `/rest/v1` has PostgREST's. */
const codeAt = (path: string, code: 'unauthenticated' | 'forbidden'): string =>
  path.startsWith('/rest/v1') ? { unauthenticated: 'PGRST302', forbidden: '42501' }[code] : code

const filled = (path: string) => path.replace(/:\w+/g, '1')

/** What may come as a body, and is not to be looked at. */
const bodies = (method: string) => (method === 'GET' ? [undefined] : [undefined, {}, '{'])

describe('every route', () => {
  test('says what it needs of its caller', () => {
    const silent = routes.filter(({ need }) => need === undefined).map(({ path }) => path)
    expect(silent.sort()).toEqual([...health].sort())
  })

  test('is open only where the contract says so', () => {
    const found = routes.filter(({ need }) => need === 'open').map(({ path }) => path)
    expect(found.sort()).toEqual([...open].sort())
  })

  test('under /auth answers at both roots', () => {
    const below = (prefix: string) =>
      routes
        .filter(({ path }) => path.startsWith(prefix))
        .map(({ method, path, need }) => ({ method, path: path.slice(prefix.length), need }))
    expect(below('/api/v1/auth/').length).toBeGreaterThan(0)
    expect(below('/auth/')).toEqual(below('/api/v1/auth/'))
  })

  const closed = routes.filter(({ path }) => ![...health, ...open].includes(path))
  test.each(closed.map(({ method, path }) => [method, path] as const))(
    '%s %s refuses a stranger, whatever the body',
    async (method, path) => {
      for (const body of bodies(method)) {
        const response = await app.call(filled(path), { method, body })
        expect({ status: response.status, code: (await json(response)).code }).toEqual({
          status: 401,
          code: codeAt(path, 'unauthenticated'),
        })
      }
    },
  )

  const forRole = (role: string) =>
    closed.flatMap(({ method, path, need }) => (typeof need === 'object' && need.role === role ? [[method, path]] : []))
  test.each([...forRole('editor'), ...forRole('admin')] as [string, string][])(
    '%s %s refuses a viewer, whatever the body',
    async (method, path) => {
      for (const body of bodies(method)) {
        const response = await app.call(filled(path), { method, body, as: 'viewer' })
        expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 403, code: codeAt(path, 'forbidden') })
      }
    },
  )

  test.each(forRole('admin') as [string, string][])('%s %s refuses an editor', async (method, path) => {
    for (const body of bodies(method)) expect((await app.call(filled(path), { method, body, as: 'editor' })).status).toBe(403)
  })
})

describe('GET /auth/me', () => {
  const user = {
    id: expect.any(String),
    email: 'editor@example.org',
    name: 'editor',
    role: 'editor',
    kind: 'person',
    disabled: false,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    lastLoginAt: expect.stringMatching(/Z$/),
    groups: [],
  }
  const token = { id: expect.any(String), name: 'test', scope: 'full', tables: null, expiresAt: null }

  test('says who is calling, and by what', async () => {
    const cookie = await signInAs(app, 'editor')
    expect(await json(app.call('/auth/me', { headers: { cookie } }))).toEqual({ user, via: 'cookie' })
    expect(await json(app.call('/api/v1/auth/me', { as: 'editor' }))).toEqual({ user, via: 'bearer', token })
    expect(await json(app.call(`/auth/me?token=${app.tokens.editor}`))).toEqual({ user, via: 'query', token })
  })
})

describe('GET /version and /healthz', () => {
  test.each(['', '/api/v1'])('answer under "%s" to anybody', async (root) => {
    expect(await json(app.call(`${root}/healthz`))).toEqual({ status: 'ok' })
    expect(await json(app.call(`${root}/version`))).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: expect.any(String),
      api: 'v1',
    })
  })
})
