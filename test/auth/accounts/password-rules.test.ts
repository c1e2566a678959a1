import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readNewPassword } from '../../../src/auth/accounts/password-rules'
import { offerSetup } from '../../../src/auth/accounts/setup'
import { commandSource } from '../../../src/auth/audit/audit-log'
import { Failure } from '../../../src/errors'
import { createUser, resetPassword } from '../../../src/users/service'
import { json, password, startApp } from '../../support/app'
import { newFolder } from '../../support/executable'
import { expectProblem } from '../../support/problem'
import { rejection } from '../../support/rejection'
import { signInAs } from '../../support/session'

const owner = { email: 'grace.hopper@example.org', name: 'Grace Brewster Hopper' }

/** @returns what is wrong with it, or null */
function judge(candidate: string, who: { email: string; name?: string } = owner): string | null {
  try {
    expect(readNewPassword(candidate, who)).toBe(candidate)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.extras.errors).toHaveLength(1)
    return error.extras.errors![0]!.message.toString()
  }
}

describe('a new password', () => {
  test.each([
    ['eight characters', 'x7#Kq9!v'],
    ['256 characters', `${'long '.repeat(51)}x`],
    ['256 characters of two', 'kz'.repeat(128)],
    ['16 characters of two', 'kz'.repeat(8)],
    ['words with spaces', 'correct horse battery'],
    ['spaces at both ends', '  not trimmed  '],
    ['letters alone', 'fjordbankglyphs'],
    ['digits alone', '8301945726'],
    ['other scripts', 'пароль из слов'],
    ['emoji', '🦊🐙🦑🐳'],
    ['a control character', 'with\0nul and \t tab'],
    ['the owner’s name within something longer', 'grace saw 14 green moths'],
  ])('may be %s', (_what, candidate) => {
    expect(judge(candidate)).toBeNull()
  })

  test.each([
    ['of 7 characters', 'x7#Kq9!', '8 to 256'],
    ['of 257 characters', `${'long '.repeat(51)}xx`, '8 to 256'],
    ['with a lone surrogate', 'abcdefgh\ud83d', 'Unicode'],
    ['that is the most common', 'password', 'most common'],
    ['that is common, in capitals', 'PassWord1', 'most common'],
    ['that is common, in digits', '1234567890', 'most common'],
    ['of the name of the product', 'rowhouse', 'your name'],
    ['of the name of the product with digits', 'Rowhouse2026!', 'your name'],
    ['of the word for it', 'Passwort#2026', 'your name'],
    ['that is the owner’s address', 'Grace.Hopper@example.org', 'your name'],
    ['that is the first part of it', 'grace.hopper', 'your name'],
    ['that is the first part of it with digits', 'GraceHopper99', 'your name'],
    ['that is the owner’s name with digits', 'Brewster_1906', 'your name'],
    ['that is the owner’s name, twice', 'gracegrace', 'your name'],
    ['of one character', 'aaaaaaaaaaaa', 'repeats'],
    ['of two characters', 'abababababab', 'repeats'],
    ['of one character, 256 times', 'k'.repeat(256), 'repeats'],
    ['of fifteen characters, of which two differ', 'kz'.repeat(7).concat('k'), 'repeats'],
  ])('%s is refused', (_what, candidate, reason) => {
    expect(judge(candidate)).toContain(reason)
  })

  test('is none of the 3 000 most common', async () => {
    const list = (await Bun.file(
      join(import.meta.dir, '../../../node_modules/@zxcvbn-ts/language-common/src/passwords.json'),
    ).json()) as string[]
    const common = list.filter((candidate) => candidate.length >= 8).slice(0, 3000)
    expect(common).toHaveLength(3000)
    expect(common.filter((candidate) => judge(candidate) === null || judge(candidate.toUpperCase()) === null)).toEqual([])
  })
})

describe('wherever a password is chosen', async () => {
  const app = await startApp()
  const fresh = await startApp({}, { users: false })
  const code = await offerSetup(fresh.deps.db, newFolder(), undefined)
  const invite = await json(app.call('/api/v1/users', { as: 'admin', body: { email: 'linus@example.org', role: 'viewer' } }))
  const cookie = await signInAs(app, 'editor')
  const places: [string, (candidate: string) => Promise<Response>, string][] = [
    ['setup', (chosen) => fresh.call('/auth/setup', { body: { email: 'linus@example.org', password: chosen, code } }), '/password'],
    ['invitation', (chosen) => app.call('/auth/invite', { body: { inviteToken: invite.inviteToken, password: chosen } }), '/password'],
    [
      'new user',
      (chosen) => app.call('/api/v1/users', { as: 'admin', body: { email: 'linus@example.com', role: 'viewer', password: chosen } }),
      '/password',
    ],
    [
      'change',
      (chosen) => app.call('/auth/password', { body: { currentPassword: password, newPassword: chosen }, headers: { cookie } }),
      '/newPassword',
    ],
  ]

  test.each(places)('%s: the same rules hold, and the answer does not repeat it', async (what, choose, path) => {
    for (const candidate of [
      'seven77',
      'y'.repeat(257),
      'bad\ud800surrogate',
      'iloveyou',
      'Sunshine1',
      what === 'change' ? 'editor2026' : 'linus2026',
    ]) {
      const response = await choose(candidate)
      const text = await response.clone().text()
      const { errors } = await expectProblem(response, 422, 'validation_failed')
      expect(errors).toEqual([{ path, message: expect.any(String) }])
      expect(text).not.toContain(candidate)
      expect(response.headers.get('set-cookie')).toBeNull()
    }
  })

  test.each(places)('%s: a good one is taken as it is, up to its last character', async (what, choose) => {
    const chosen = ` ${'Ä long one, '.repeat(8)}ending in ${what} `
    expect((await choose(chosen)).status).toBeWithin(200, 205)
    const [where, email] = { setup: [fresh, 'linus@example.org'], change: [app, 'editor@example.org'] }[what] ?? [
      app,
      what === 'invitation' ? 'linus@example.org' : 'linus@example.com',
    ]
    const signIn = async (secret: string) => (await (where as typeof app).call('/auth/login', { body: { email, password: secret } })).status
    expect(await signIn(chosen)).toBe(200)
    for (const wrong of [chosen.trim(), chosen.slice(0, 72), chosen.toLowerCase(), chosen.normalize('NFD')])
      expect(await signIn(wrong)).toBe(401)
  })

  test('command line: the name that the user has counts, too', async () => {
    const { db, passwords } = app.deps
    const email = 'boss@example.org'
    await createUser(db, passwords, { email, name: 'Grace Margarethe Hopper', role: 'viewer', password }, null)
    for (const candidate of ['margarethe', 'Margarethe_1906', email]) {
      const error = await rejection(resetPassword(db, passwords, 'Boss@example.org', candidate, commandSource))
      expect(error).toBeInstanceOf(Failure)
      expect((error as Failure).extras.errors).toEqual([{ path: '/password', message: expect.anything() }])
      expect(String((error as Failure).extras.errors![0]!.message)).toContain('your name')
    }
  })
})
