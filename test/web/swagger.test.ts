import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { expire, signInAs } from '../support/session'

const app = await startApp()
const open = await startApp({ ROWHOUSE_PUBLIC_DOCS: '1' }, { users: false })

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe.each(['/swagger', '/swagger/json'])('GET %s', (path) => {
  test('is shown to those who have signed in, by any credential', async () => {
    const cookie = await signInAs(app, 'viewer')
    expect((await app.call(path, { headers: { cookie } })).status).toBe(200)
    expect((await app.call(path, { as: 'viewer' })).status).toBe(200)
    const byQuery = await app.call(`${path}?token=${app.tokens.viewer}`)
    expect(byQuery.status).toBe(200)
    expect(await byQuery.text()).not.toContain(app.tokens.viewer)
  })

  test('refuses strangers', async () => {
    const response = await app.call(path)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="service"')
    expect((await json(response)).code).toBe('unauthenticated')
  })

  test('refuses a bad token, and does not look further', async () => {
    const cookie = await signInAs(app, 'viewer')
    for (const headers of [{ cookie }, { cookie, ...browser }] as Record<string, string>[]) {
      const response = await app.call(`${path}?token=wrong`, { headers })
      expect(response.status).toBe(401)
      expect((await json(response)).code).toBe('invalid_token')
    }
  })

  test('is not kept by caches', async () => {
    const response = await app.call(path, { as: 'viewer' })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('vary')).toContain('Authorization')
    expect(response.headers.get('vary')).toContain('Cookie')
  })

  test('is for everybody where ROWHOUSE_PUBLIC_DOCS says so', async () => {
    for (const headers of [{}, browser, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
      expect((await open.call(path, { headers })).status).toBe(200)
    }
  })

  test('answers HEAD', async () => {
    const response = await app.call(path, { method: 'HEAD', as: 'viewer' })
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' })
  })
})

describe('a browser at /swagger', () => {
  const redirected = async (path: string, headers: Record<string, string> = {}) => {
    const response = await app.call(path, { headers: { ...browser, ...headers } })
    return { status: response.status, location: response.headers.get('location') }
  }
  const toSignIn = { status: 303, location: '/sign-in?next=/swagger' }

  test('is led to the sign-in', async () => {
    expect(await redirected('/swagger')).toEqual(toSignIn)
  })

  test('is led there too when its session has ended', async () => {
    const cookie = await signInAs(app, 'viewer')
    await expire(app, cookie)
    expect(await redirected('/swagger', { cookie })).toEqual(toSignIn)
  })

  test('takes nothing of the address along', async () => {
    expect(await redirected('/swagger?token=&next=https://example.org&x=1')).toEqual(toSignIn)
  })

  test('gets a page that loads only our own files, under a policy without exceptions', async () => {
    const response = await app.call('/swagger', { as: 'viewer', headers: browser })
    expect(response.headers.get('content-type')).toBe('text/html;charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(part)
    }
    expect(policy).not.toContain('unsafe')
    const html = await response.text()
    expect(html).not.toMatch(/https?:/)
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!).filter((path) => path.startsWith('/assets/'))
    expect(paths.length).toBe(3)
    for (const path of paths) expect({ path, status: (await app.call(path)).status }).toEqual({ path, status: 200 })
  })
})
