import { expect, test } from 'bun:test'
import { json, startApp } from '../../support/app'
import { until } from '../../support/processes'
import { signInAs } from '../../support/session'

const app = await startApp()
const { db } = app.deps
const me = () => app.call('/auth/me', { as: 'editor' })
const lastUsed = async () =>
  (
    await db.query<{ at: string | null }>(
      "select t.last_used_at::text as at from rowhouse.tokens t join rowhouse.users u on u.id = t.user_id where u.email = 'editor@example.org'",
    )
  )[0]!.at

test('use of a token is noted at most once a minute', async () => {
  await me()
  await until('the use is noted', async () => (await lastUsed()) !== null)
  const first = await lastUsed()
  await me()
  await Bun.sleep(50)
  expect(await lastUsed()).toBe(first)
  await db.query("update rowhouse.tokens set last_used_at = now() - interval '61 seconds'")
  const earlier = await lastUsed()
  await me()
  await until('the use is noted again', async () => (await lastUsed())! > earlier!)
})

test('that use cannot be noted fails no request, and the log hears of it', async () => {
  await db.query(`create function rowhouse.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`)
  for (const table of ['tokens', 'sessions']) {
    await db.query(`create trigger refuse before update on rowhouse.${table} for each row execute function rowhouse.refuse()`)
  }
  const cookie = await signInAs(app, 'viewer')
  await db.query('alter table rowhouse.tokens disable trigger refuse')
  await db.query('alter table rowhouse.sessions disable trigger refuse')
  await db.query('update rowhouse.tokens set last_used_at = null')
  await db.query("update rowhouse.sessions set last_seen_at = now() - interval '1 hour'")
  await db.query('alter table rowhouse.tokens enable trigger refuse')
  await db.query('alter table rowhouse.sessions enable trigger refuse')
  expect((await me()).status).toBe(200)
  expect((await app.call('/auth/me', { headers: { cookie } })).status).toBe(200)
  const tasks = () => app.events.flatMap((event) => (event.kind === 'background_failed' ? [event.task] : []))
  await until('the log hears of both', () => tasks().length >= 2)
  expect(tasks().sort()).toEqual(['session last seen', 'token last used'])
})

test('many callers at once each get their own answer', async () => {
  const cookie = await signInAs(app, 'viewer')
  const calls = Array.from({ length: 120 }, (_, n) => {
    if (n % 4 === 0) return app.call('/auth/me', { headers: { cookie } })
    if (n % 4 === 1) return app.call('/auth/me', { headers: { authorization: `Bearer ${'x'.repeat(43)}` } })
    return app.call('/auth/me', { as: n % 4 === 2 ? 'admin' : 'editor' })
  })
  const answers = await Promise.all(calls.map((call) => json(call)))
  const expected = ['viewer@example.org', 'invalid_token', 'admin@example.org', 'editor@example.org']
  expect(answers.map((answer) => answer.user?.email ?? answer.code)).toEqual(answers.map((_, n) => expected[n % 4]))
})
