import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp } from '../../support/app'
import { head, type RawAnswer, sendRaw } from '../../support/raw'
import { expire, signInAs } from '../../support/session'

/**
 * Random combinations, repetitions and malformed values, against a model of SECURITY.md 1.3 that is written anew here.
 */
const app = await startApp()
const session = await signInAs(app, 'viewer')
const ended = await signInAs(app, 'viewer')
await expire(app, ended)
const secretOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)
const { admin, editor } = app.tokens
const sibling = admin.slice(0, -1) + String.fromCharCode(admin.charCodeAt(42) + 1)

type Meaning = 'absent' | 'valid' | 'invalid'
type Item = { text: string; meaning: Meaning }
const items = (meaning: Meaning, texts: string[]): Item[] => texts.map((text) => ({ text, meaning }))

const headers = [
  ...items('absent', ['Basic YTpi', `Token ${admin}`, `Bearers ${admin}`, 'Digest username="x"', 'Negotiate']),
  ...items('valid', [`Bearer ${admin}`, `bearer ${admin}`, `BEARER  ${admin}`]),
  ...items('invalid', ['Bearer', 'Bearer null', `Bearer\t${admin}`, `Bearer "${admin}"`, `Bearer ${admin},`, `Bearer ${admin} ${admin}`]),
  ...items('invalid', [`Bearer ${sibling}`, `Bearer ${admin}=`, `Bearer ${secretOf(session)}`, `Bearer ${'-'.repeat(43)}`]),
]
const parameters = [
  ...items('absent', ['token=', 'token', 'tokens=x', 'Token=x', 'a=b', 'access_token=x']),
  ...items('valid', [`token=${editor}`, `%74oken=${editor}`]),
  ...items('invalid', ['token=x', `token=%20${editor}`, `token=${secretOf(session)}`, 'token=%00', 'token=%E0%A4%A', `token="${editor}"`]),
]
const pairs = [
  ...items('absent', ['a=b', 'Service_Session=x', '__proto__=x', 'service_session_2=x']),
  ...items('valid', [session]),
  ...items('invalid', [ended, 'service_session=', 'service_session', `service_session=${admin}`, `service_session="${secretOf(session)}"`]),
  ...items('invalid', ['service_session={"a":1}', 'service_session=%E0%A4%A', `${session}x`]),
]

const isToken = ({ text }: Item) => /^(token|%74oken)(=|$)/.test(text)
const isSession = ({ text }: Item) => /^service_session(=|$)/.test(text)

/** What the table says: `<status> <code>` or the user and the transport. */
function expected(sent: Item[], query: Item[], cookie: Item[]): string {
  const [header] = sent
  // Two headers arrive as one, joined by a comma, and that is no token; the first decides whether it is ours.
  if (header && header.meaning !== 'absent') return sent.length === 1 && header.meaning === 'valid' ? 'admin bearer' : '401 invalid_token'
  const tokens = query.filter(isToken)
  if (tokens.some(({ meaning }) => meaning !== 'absent')) {
    if (tokens.length > 1) return '400 invalid_request'
    return tokens[0]!.meaning === 'valid' ? 'editor query' : '401 invalid_token'
  }
  const sessions = cookie.filter(isSession)
  if (sessions.length === 0) return '401 unauthenticated'
  const isOne = new Set(sessions.map(({ text }) => text.replace(/^service_session=?/, ''))).size === 1
  return isOne && sessions[0]!.meaning === 'valid' ? 'viewer cookie' : '401 invalid_session'
}

function seen({ status, body }: RawAnswer): string {
  const answer = JSON.parse(body)
  return status === 200 ? `${answer.user.email.split('@')[0]} ${answer.via}` : `${status} ${answer.code}`
}

const some = (choices: Item[], maxLength: number) => fc.array(fc.constantFrom(...choices), { maxLength })

test('any combination of credentials is answered as the table says', async () => {
  const property = fc.asyncProperty(some(headers, 2), some(parameters, 3), some(pairs, 3), async (sent, query, cookie) => {
    const path = query.length ? `/auth/me?${query.map(({ text }) => text).join('&')}` : '/auth/me'
    const lines = sent.map(({ text }): [string, string] => ['Authorization', text])
    const cookies: [string, string][] = cookie.length ? [['Cookie', cookie.map(({ text }) => text).join('; ')]] : []
    const answer = await sendRaw(app.url, head('GET', path, [...lines, ...cookies]))
    const wanted = expected(sent, query, cookie)
    expect(seen(answer)).toBe(wanted)
    expect(answer.headers.has('www-authenticate')).toBe(/^4/.test(wanted))
    expect(answer.headers.has('set-cookie')).toBe(wanted === '401 invalid_session')
  })
  await fc.assert(property, { numRuns: 1500 })
})
