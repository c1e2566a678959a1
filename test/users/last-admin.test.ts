import { describe, expect, test } from 'bun:test'
import { json, startApp } from '../support/app'
import { bearer, makePerson } from '../support/people'
import { expectProblem } from '../support/problem'

const app = await startApp()
const { db } = app.deps
const users = '/api/v1/users'
const [ada] = await db.query<{ id: string }>("select id from rowhouse.users where email = 'admin@example.org'")
const activeAdmins = () =>
  db.query("select 1 from rowhouse.users where role = 'admin' and disabled_at is null and password_hash is not null")

type Way = [what: string, method: string, path: string, body: object | undefined]
const ways: Way[] = [
  ['demoted to editor', 'PATCH', '', { role: 'editor' }],
  ['demoted to viewer', 'PATCH', '', { role: 'viewer' }],
  ['disabled', 'PATCH', '', { disabled: true }],
  ['deleted', 'DELETE', '', undefined],
  ['reset', 'POST', '/reset', undefined],
]

describe('the last administrator cannot be', () => {
  test.each(ways)('%s', async (_what, method, path, body) => {
    await expectProblem(await app.call(`${users}/${ada!.id}${path}`, { as: 'admin', method, body }), 409, 'conflict')
    expect(await json(app.call(`${users}/${ada!.id}`, { as: 'admin' }))).toMatchObject({ role: 'admin', disabled: false })
    expect((await app.call('/auth/me', { as: 'admin' })).status).toBe(200)
  })

  test.each([
    ['disabled', { disabled: true }],
    ['only invited', undefined],
  ] as [string, object | undefined][])('%s, another one does not count', async (_what, change) => {
    const { user } = await makePerson(app, 'admin')
    const path = change ? '' : '/reset'
    expect((await app.call(`${users}/${user.id}${path}`, { as: 'admin', method: change ? 'PATCH' : 'POST', body: change })).status).toBe(
      200,
    )
    const body = { role: 'viewer' }
    await expectProblem(await app.call(`${users}/${ada!.id}`, { as: 'admin', method: 'PATCH', body }), 409, 'conflict')
  })

  test('but may have another name, and may go when there is another', async () => {
    expect((await app.call(`${users}/${ada!.id}`, { as: 'admin', method: 'PATCH', body: { name: 'Ada L.' } })).status).toBe(200)
    const { user, token } = await makePerson(app, 'admin')
    const change = (role: string) => app.call(`${users}/${ada!.id}`, { headers: bearer(token), method: 'PATCH', body: { role } })
    expect((await change('viewer')).status).toBe(200)
    expect((await app.call(users, { as: 'admin' })).status).toBe(403)
    expect((await change('admin')).status).toBe(200)
    expect((await app.call(`${users}/${user.id}`, { as: 'admin', method: 'DELETE' })).status).toBe(204)
  })
})

describe('two administrators who do it to each other at the same moment: one remains', () => {
  test.each(ways)('%s', async (_what, method, path, body) => {
    for (let round = 0; round < 20; round++) {
      const [one, two] = [await makePerson(app, 'admin'), await makePerson(app, 'admin')]
      await db.query("update rowhouse.users set role = 'viewer' where id not in ($1::uuid, $2::uuid)", [one.user.id, two.user.id])
      const attack = (victim: string, token: string) =>
        app.call(`${users}/${victim}${path}`, { method, body, headers: bearer(token) }).then(({ status }) => status)
      const statuses = await Promise.all([attack(two.user.id, one.token), attack(one.user.id, two.token)])
      expect(statuses.filter((status) => status < 300)).toHaveLength(1)
      // The slower one is refused as the last, or has lost the right meanwhile.
      expect(statuses.filter((status) => ![200, 204, 401, 403, 409].includes(status))).toEqual([])
      expect(await activeAdmins()).toHaveLength(1)
      await db.query("update rowhouse.users set role = 'admin' where id = $1::uuid", [ada!.id])
    }
  })
})
