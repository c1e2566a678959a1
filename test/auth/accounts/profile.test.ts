import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { signInAs } from '../../support/session'

const app = await startApp()

const rename = (name: unknown, call: Parameters<typeof app.call>[1] = { as: 'viewer' }) =>
  app.call('/auth/me', { method: 'PATCH', body: { name }, ...call })

describe('PATCH /auth/me', () => {
  test('changes the name under which one is shown, whatever the role', async () => {
    const cookie = await signInAs(app, 'viewer')
    const { user } = await json(rename(' Grace Hopper ', { headers: { cookie } }))
    expect(user).toMatchObject({ email: 'viewer@example.org', name: 'Grace Hopper', role: 'viewer' })
    expect((await json(app.call('/auth/me', { as: 'viewer' }))).user.name).toBe('Grace Hopper')
    expect((await json(app.call('/auth/me', { as: 'editor' }))).user.name).toBe('editor')
  })

  test('is recorded', async () => {
    const before = await json(app.call('/auth/me', { as: 'editor' }))
    await rename('Edith', { as: 'editor' })
    const { entries } = await json(app.call('/api/v1/audit?kind=user_changed', { as: 'admin' }))
    expect(entries[0]).toMatchObject({ kind: 'user_changed', actorId: before.user.id, subjectId: before.user.id, result: 'ok' })
  })

  test.each([[''], ['   '], ['a\0b'], ['x'.repeat(101)], [1], [null]])('refuses %p', async (name) => {
    const response = await rename(name)
    expect({ status: response.status, code: (await json(response)).code }).toEqual({ status: 422, code: 'validation_failed' })
  })

  test.each([
    ['the address of another user', 'editor@example.org'],
    ['it in capitals', ' Editor@Example.ORG '],
    ['an address that a user may get later', 'ceo@corp.example'],
  ])('refuses %s, by which others would enter the wrong user', async (_what, name) => {
    const response = await rename(name)
    const { code, errors } = await json(response)
    expect({ status: response.status, code }).toEqual({ status: 422, code: 'validation_failed' })
    expect(errors).toEqual([{ path: '/name', message: "A name cannot be an e-mail address, except the user's own. Choose another name." }])
  })

  test.each([['Viewer@example.org'], ['@viewer'], ['Viewer @ home']])('accepts %p', async (name) => {
    expect((await json(rename(name))).user.name).toBe(name)
  })

  test('changes nothing else', async () => {
    const response = await app.call('/auth/me', { method: 'PATCH', body: { name: 'Eve', role: 'admin' }, as: 'viewer' })
    expect(response.status).toBe(422)
    expect((await json(app.call('/auth/me', { as: 'viewer' }))).user).toMatchObject({ role: 'viewer' })
  })

  test('is not for a token of less than full scope', async () => {
    const { token } = await json(app.call('/auth/tokens', { as: 'viewer', body: { name: 'small', scope: 'write' } }))
    const response = await rename('Eve', { headers: { authorization: `Bearer ${token}` } })
    expect((await json(response)).code).toBe('insufficient_scope')
  })
})
