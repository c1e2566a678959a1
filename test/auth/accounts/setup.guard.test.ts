import { describe, expect, test } from 'bun:test'
import { offerSetup } from '../../../src/auth/accounts/setup'
import { json, startApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { behindProxy, guess, letPass, repeatLast } from '../../support/guess'
import { expectProblem } from '../../support/problem'

const ada = { email: 'ada@example.org', password: 'a long password' }
const publicUrl = { PUBLIC_URL: 'http://tables.example.org' }
const proxied = { ...publicUrl, ...behindProxy }

describe('with PUBLIC_URL, setting up under', () => {
  test.each([
    ['its name', publicUrl, { host: 'tables.example.org' }, true],
    ['its name in capitals', publicUrl, { host: 'Tables.Example.ORG' }, true],
    ['its name with the port that goes without saying', publicUrl, { host: 'tables.example.org:80' }, true],
    ['another name that leads here', publicUrl, { host: 'evil.example' }, false],
    ['a name that begins alike', publicUrl, { host: 'tables.example.org.evil.example' }, false],
    ['another port', publicUrl, { host: 'tables.example.org:8090' }, false],
    ['the address itself', publicUrl, {}, false],
    [
      'another name, with a stranger’s X-Forwarded-Host',
      publicUrl,
      { host: 'evil.example', 'x-forwarded-host': 'tables.example.org' },
      false,
    ],
    ['its name, with a stranger’s X-Forwarded-Host', publicUrl, { host: 'tables.example.org', 'x-forwarded-host': 'evil.example' }, true],
    ['its name, as the proxy says', proxied, { host: '10.0.0.7:8090', 'x-forwarded-host': 'tables.example.org' }, true],
    ['its name, as the proxy leaves it', proxied, { host: 'tables.example.org' }, true],
    ['another name, as the proxy says', proxied, { host: 'tables.example.org', 'x-forwarded-host': 'evil.example' }, false],
    ['any name, without PUBLIC_URL', {}, { host: 'any.example' }, true],
  ])('%s', async (_what, environment, headers, isRight) => {
    const app = await startApp(environment as unknown as Record<string, string>, { users: false })
    const code = await offerSetup(app.deps.db, newFolder(), undefined)
    const response = await app.call('/auth/setup', { body: { ...ada, code }, headers: headers as unknown as Record<string, string> })
    if (isRight) expect(response.status).toBe(201)
    else expect((await expectProblem(response, 403, 'forbidden')).message).toContain('http://tables.example.org')
    expect((await json(app.call('/auth/setup-status'))).setupRequired).toBe(!isRight)
  })
})

describe('the code', async () => {
  const app = await startApp(behindProxy, { users: false })
  const code = await offerSetup(app.deps.db, newFolder(), undefined)
  const attempt = (guessed: string | undefined, from: string, email = ada.email) =>
    app.call('/auth/setup', { body: { ...ada, email, code: guessed }, headers: { 'x-forwarded-for': from } })

  test('may be guessed at five times from one address, however many try at once', async () => {
    const answers = Array.from({ length: 30 }, (_, index) => attempt(`guess number ${index}`, '192.0.2.1', `ada${index}@example.org`))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(25)
    const refused = await attempt(code!, '192.0.2.1')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await expectProblem(refused, 429, 'too_many_requests')
  })

  test('that is left out is no guess', async () => {
    for (let time = 0; time < 10; time++) await expectProblem(await attempt(undefined, '192.0.2.2'), 403, 'setup_code_required')
    await expectProblem(await attempt('a wrong one', '192.0.2.2'), 403, 'setup_code_required')
  })

  test('is judged before the password', async () => {
    const response = await app.call('/auth/setup', {
      body: { ...ada, password: 'password', code: 'x' },
      headers: { 'x-forwarded-for': '192.0.2.3' },
    })
    await expectProblem(response, 403, 'setup_code_required')
  })

  test('lets its owner in, however many strangers guess at it from wherever', async () => {
    const fresh = await startApp(behindProxy, { users: false })
    const right = await offerSetup(fresh.deps.db, newFolder(), undefined)
    const from = (address: string, guessed: string) =>
      fresh.call('/auth/setup', { body: { ...ada, code: guessed }, headers: { 'x-forwarded-for': address } })
    for (let n = 0; n < 120; n++) expect((await from(`198.51.100.${n}`, 'a wrong one')).status).toBe(403)
    for (let n = 0; n < 6; n++) await from('2001:db8:1:1::1', 'a wrong one')
    expect((await from('2001:db8:1:1::2', right!)).status).toBe(429)
    expect((await from('192.0.2.77', right!)).status).toBe(201)
  })

  test('lets its owner in, whatever strangers enter as the e-mail address of a sign-in', async () => {
    const fresh = await startApp(behindProxy, { users: false })
    const right = await offerSetup(fresh.deps.db, newFolder(), undefined)
    const owner = '192.0.2.77'
    for (const email of [`setup code ${owner}`, owner]) {
      expect((await guess(fresh, email, { from: '198.51.100.1' })).status).toBe(401)
      await repeatLast(fresh, 49, { otherAddresses: true })
      expect((await guess(fresh, email, { from: '198.51.100.2' })).status).toBe(429)
    }
    const body = { ...ada, code: right }
    expect((await fresh.call('/auth/setup', { body, headers: { 'x-forwarded-for': owner } })).status).toBe(201)
  })

  test('works when the wait is over', async () => {
    await letPass(app, 30)
    expect((await attempt(code!, '192.0.2.1')).status).toBe(201)
    await expectProblem(await attempt(code!, '192.0.2.1'), 409, 'setup_done')
  })
})
