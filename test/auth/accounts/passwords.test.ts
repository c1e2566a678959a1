import { describe, expect, test } from 'bun:test'
import { createPasswords } from '../../../src/auth/accounts/passwords'
import { Failure } from '../../../src/errors'
import { readConfig } from '../../../src/ops/settings/config'
import { password, startApp } from '../../support/app'
import { expectProblem } from '../../support/problem'
import { saturate } from '../../support/saturate'

const passwords = createPasswords(readConfig({ ROWHOUSE_ARGON2_CONCURRENCY: '1' }))

/** One job more than the queue of 64 behind the one that runs. */
const fill = (jobs: { hash: (password: string) => Promise<string> }, count: number) =>
  Array.from({ length: count }, () =>
    jobs.hash('takes a while').then(
      () => 'done',
      (error) => error,
    ),
  )

describe('a hash', () => {
  test('is argon2id with OWASP’s cost, and another one each time', async () => {
    const [one, two] = [await passwords.hash('same'), await passwords.hash('same')]
    for (const hash of [one, two]) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
  })

  test('fits its password and no other', async () => {
    const hash = await passwords.hash(' Päss wörd ')
    expect(await passwords.verify(hash, ' Päss wörd ')).toBe(true)
    for (const wrong of ['Päss wörd', ' päss wörd ', ' Päss wörd', '', ' Pa\u0308ss wo\u0308rd '])
      expect(await passwords.verify(hash, wrong)).toBe(false)
  })

  test('of Bun’s own argon2id is understood, since it stands in where the addon does not load', async () => {
    const hash = await Bun.password.hash('same', { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })
    expect(await passwords.verify(hash, 'same')).toBe(true)
    expect(await Bun.password.verify('same', await passwords.hash('same'))).toBe(true)
  })

  test.each(['', 'x', '$argon2id$', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$', '$2b$10$abc', '\0'])(
    'that is corrupt (%p) fits nothing, and is told of',
    async (hash) => {
      let isDamaged = false
      const onDamage = () => {
        isDamaged = true
      }
      expect(await passwords.verify(hash, 'same', onDamage)).toBe(false)
      expect(isDamaged).toBe(true)
    },
  )

  test.each([
    ['the same', {}, false],
    ['less memory than is asked for', { ROWHOUSE_ARGON2_MEMORY_KIB: '65536' }, true],
    ['fewer passes', { ROWHOUSE_ARGON2_PASSES: '3' }, true],
    ['more memory, but fewer passes', { ROWHOUSE_ARGON2_MEMORY_KIB: '12288', ROWHOUSE_ARGON2_PASSES: '3' }, true],
  ])('made with %s', async (_what, environment, isWeak) => {
    const hash = await passwords.hash('same')
    const now = createPasswords(readConfig(environment as Record<string, string>))
    expect(now.isWeak(hash)).toBe(isWeak)
    expect(now.isWeak(await now.hash('same'))).toBe(false)
    expect(await now.verify(hash, 'same')).toBe(true)
  })

  test('that is not there costs as much as a wrong one', async () => {
    const hash = await passwords.hash('same')
    const timed = async (stored: string | null) => {
      const before = process.cpuUsage()
      expect(await passwords.verify(stored, 'wrong')).toBe(false)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const times = { unknown: [] as number[], known: [] as number[] }
    for (let n = 0; n < 15; n++) {
      times.unknown.push(await timed(null))
      times.known.push(await timed(hash))
    }
    const median = (list: number[]) => list.sort((one, other) => one - other)[7]!
    expect(median(times.unknown) / median(times.known)).toBeWithin(0.6, 1.6)
  })
})

describe('when too many sign in at once', () => {
  test('the sixty-sixth is refused at once, and the queue takes more when it is empty again', async () => {
    const jobs = fill(passwords, 65)
    const [refused] = fill(passwords, 1)
    // Before any of those that it would have had to wait for.
    expect(await Promise.race([refused, ...jobs])).toBe(await refused)
    const error = await refused
    expect(error).toBeInstanceOf(Failure)
    expect(error.kind).toBe('unavailable')
    expect(await jobs[0]).toBe('done')
    await Promise.all(jobs)
    expect(await passwords.verify(await passwords.hash('later'), 'later')).toBe(true)
  })

  test('what cannot be a password is refused without any hashing (SEC-25)', async () => {
    const app = await startApp({ ROWHOUSE_ARGON2_CONCURRENCY: '1' })
    const end = saturate(app.deps.passwords)
    const email = 'viewer@example.org'
    const bodies = [{ email }, { email, password: '' }, { email, password: 'x'.repeat(257) }, { email, password: 'x'.repeat(100_000) }]
    const answers = await Promise.all(bodies.map((body) => app.call('/auth/login', { body })))
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422])
    expect((await app.call('/auth/login', { body: { email, password } })).status).toBe(503)
    await end()
  })

  test('they get a 503 that says when to come again; everybody else is served', async () => {
    const app = await startApp({ ROWHOUSE_ARGON2_CONCURRENCY: '1' })
    const end = saturate(app.deps.passwords)
    const response = await app.call('/auth/login', { body: { email: 'viewer@example.org', password } })
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    await expectProblem(response, 503, 'unavailable')
    expect((await app.call('/healthz')).status).toBe(200)
    expect((await app.call('/api/v1/tables', { as: 'viewer' })).status).toBe(200)
    await end()
    expect((await app.call('/auth/login', { body: { email: 'viewer@example.org', password } })).status).toBe(200)
  })
})
