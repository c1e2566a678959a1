import { expect, test } from 'bun:test'
import { setUpUnattended } from '../../../src/auth/accounts/setup'
import { commandSource } from '../../../src/auth/audit/audit-log'
import { createUser, resetPassword } from '../../../src/users/service'
import { json, password, startApp, type TestApp } from '../../support/app'
import { bearer, makePerson } from '../../support/people'
import { settled } from '../../support/rejection'
import { signIn } from '../../support/session'

/**
 * An entry and the change that it reports are one transaction: a process that dies between the two would leave a change
 * that nobody made.
 */
const app = await startApp()
const { db } = app.deps
await db.query(`create function rowhouse.no_entry() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`)

/** While `work` is done no entry can be written. */
async function withoutLog<Result>(where: TestApp, work: () => Promise<Result>): Promise<Result> {
  await where.deps.db.query('create trigger no_entry before insert on rowhouse.audit for each row execute function rowhouse.no_entry()')
  return work().finally(() => where.deps.db.query('drop trigger no_entry on rowhouse.audit'))
}

const state = async () =>
  JSON.stringify(
    await db.query(`select (select json_agg(json_build_array(id, name, role, disabled_at, password_hash) order by id) from rowhouse.users) as users,
      (select json_agg(id order by id) from rowhouse.sessions) as sessions, (select json_agg(id order by id) from rowhouse.tokens) as tokens,
      (select json_agg(id order by id) from rowhouse.invites) as invites, (select json_agg(s) from rowhouse.setup s) as setup,
       (select json_agg(json_build_array(id, revoked_at) order by id) from rowhouse.share_links) as links,
      (select json_agg(g order by id) from rowhouse.groups g) as groups, (select json_agg(m) from rowhouse.group_members m) as members,
      (select json_agg(l) from rowhouse.logged_tables l) as logs`),
  )

const { user, email, token } = await makePerson(app)
const cookie = await signIn(app, email)
const other = await signIn(app, email)
const [{ id: otherSession }] = (await json(app.call('/auth/sessions', { headers: { cookie: other } }))).sessions.filter(
  ({ current }: { current: boolean }) => current,
)
const { id: tokenId } = await json(app.call('/auth/tokens', { headers: bearer(token), body: { name: 'second' } }))
const { id: tableId } = await json(app.call('/api/v1/tables', { as: 'admin', body: { name: 'notes', columns: [] } }))
const { id: linkId } = await json(app.call('/api/v1/links', { headers: { cookie }, body: { table: 'notes' } }))
const { inviteToken, user: invited } = await json(
  app.call('/api/v1/users', { as: 'admin', body: { email: 'invited@example.org', role: 'viewer' } }),
)
const mine = { headers: { cookie } }
const users = `/api/v1/users/${user.id}`
const { user: service } = await json(
  app.call('/api/v1/users', { as: 'admin', body: { kind: 'service', name: 'Nightly import', role: 'viewer' } }),
)
const group = `/api/v1/groups/${(await json(app.call('/api/v1/groups', { as: 'admin', body: { name: 'Sales' } }))).id}`

const changes: [string, string, Parameters<TestApp['call']>[1], number][] = [
  ['user_created', '/api/v1/users', { as: 'admin', body: { email: 'new@example.org', role: 'viewer' } }, 201],
  ['user_changed', users, { as: 'admin', method: 'PATCH', body: { role: 'viewer' } }, 200],
  ['user_changed', '/auth/me', { ...mine, method: 'PATCH', body: { name: 'Renamed' } }, 200],
  ['token_created', '/auth/tokens', { ...mine, body: { name: 'third' } }, 201],
  ['token_revoked', `/auth/tokens/${tokenId}`, { ...mine, method: 'DELETE' }, 204],
  ['session_revoked', `/auth/sessions/${otherSession}`, { ...mine, method: 'DELETE' }, 204],
  ['session_revoked', '/auth/sessions', { ...mine, method: 'DELETE' }, 204],
  ['password_changed', '/auth/password', { ...mine, body: { currentPassword: password, newPassword: `${password} two` } }, 204],
  ['link_created', '/api/v1/links', { ...mine, body: { table: 'notes' } }, 201],
  ['link_revoked', `/api/v1/links/${linkId}`, { ...mine, method: 'DELETE' }, 204],
  ['logout', '/auth/logout', { ...mine, method: 'POST' }, 204],
  ['invite_accepted', '/auth/invite', { body: { inviteToken, password: `${password} three` } }, 200],
  ['user_created', '/api/v1/users', { as: 'admin', body: { kind: 'service', name: 'Hourly import', role: 'viewer' } }, 201],
  ['token_created', `/api/v1/users/${service.id}/tokens`, { as: 'admin', body: { name: 'cron' } }, 201],
  ['group_created', '/api/v1/groups', { as: 'admin', body: { name: 'Marketing', members: [user.id] } }, 201],
  ['group_changed', group, { as: 'admin', method: 'PATCH', body: { name: 'Sales team' } }, 200],
  ['group_changed', `${group}/members/${user.id}`, { as: 'admin', method: 'PUT' }, 204],
  ['group_changed', `${group}/members/${user.id}`, { as: 'admin', method: 'DELETE' }, 204],
  ['group_deleted', group, { as: 'admin', method: 'DELETE' }, 204],
  ['history_off', `/api/v1/tables/${tableId}/history`, { as: 'admin', method: 'PUT', body: { logged: false } }, 204],
  ['history_on', `/api/v1/tables/${tableId}/history`, { as: 'admin', method: 'PUT', body: { logged: true } }, 204],
  ['session_revoked', `/api/v1/users/${invited.id}/sessions`, { as: 'admin', method: 'DELETE' }, 204],
  ['user_reset', `${users}/reset`, { as: 'admin', method: 'POST' }, 200],
  ['user_deleted', users, { as: 'admin', method: 'DELETE' }, 204],
]

test.each(changes)(
  '%s is not done where it cannot be written down, and done with one entry where it can: %s',
  async (kind, path, call, status) => {
    const before = await state()
    expect((await withoutLog(app, () => app.call(path, call))).status).toBe(500)
    expect(await state()).toBe(before)
    const entries = () => db.query("select from rowhouse.audit where kind = $1 and result = 'ok'", [kind])
    const count = (await entries()).length
    expect((await app.call(path, call)).status).toBe(status)
    expect(await state()).not.toBe(before)
    expect((await entries()).length).toBe(count + 1)
  },
)

test('what the command line does has its entries, too, or is not done', async () => {
  const { passwords } = app.deps
  const address = 'command@example.org'
  const add = () => createUser(db, passwords, { email: address, role: 'viewer', password }, commandSource)
  const reset = () => resetPassword(db, passwords, address, `${password} four`, commandSource)
  const entries = () => db.query<{ kind: string }>("select kind from rowhouse.audit where credential = 'command' order by at, id")
  for (const change of [add, reset] as (() => Promise<unknown>)[]) {
    const before = await state()
    expect(await settled(withoutLog(app, change))).toThrow()
    expect(await state()).toBe(before)
    await change()
  }
  expect((await entries()).map(({ kind }) => kind)).toEqual(['user_created', 'user_reset'])
})

test('the setup has its entry, or is not done', async () => {
  const fresh = await startApp({}, { users: false })
  const again = { email: 'first@example.org', password }
  await fresh.deps.db.query(
    `create function rowhouse.no_entry() returns trigger language plpgsql as $$ begin raise exception 'the log is full'; end $$`,
  )
  const setUp = () => setUpUnattended(fresh.deps.db, fresh.deps.passwords, again)
  expect(await settled(withoutLog(fresh, setUp))).toThrow()
  expect(await fresh.deps.db.query('select from rowhouse.users')).toHaveLength(0)
  await setUp()
  expect(await fresh.deps.db.query("select from rowhouse.audit where kind = 'setup' and result = 'ok'")).toHaveLength(1)
})
