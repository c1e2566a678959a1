import { expect, test } from 'bun:test'
import { connectionHint, connectionProblem, isAway, isFromElsewhere, sqlState } from '../../src/db/errors'

const coded = (code: string) => Object.assign(new Error(code), { code })

test('a broken connection is no state of PostgreSQL, however its name is spelt', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'CONNECTION_CLOSED']) {
    expect(sqlState(coded(code))).toBeUndefined()
    expect(isAway(coded(code))).toBe(true)
  }
  expect(sqlState(coded('23505'))).toBe('23505')
})

test('a broken connection to another server is told from one to the database by the statement', () => {
  const ofStatement = Object.assign(coded('ECONNREFUSED'), { query: 'select 1' })
  expect(['ECONNREFUSED', 'EPIPE', 'FailedToOpenSocket'].map((code) => isFromElsewhere(coded(code)))).toEqual([true, true, true])
  expect(isFromElsewhere(new Error('wrapped', { cause: coded('ENOTFOUND') }))).toBe(true)
  expect([ofStatement, new Error('wrapped', { cause: ofStatement })].map(isFromElsewhere)).toEqual([false, false])
  expect(['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', '57014', '40001'].map((code) => isFromElsewhere(coded(code)))).not.toContain(true)
})

test.each([
  ['unsupported startup parameter: idle_in_transaction_session_timeout', /DATABASE_PREPARE=0/],
  ['Client network socket disconnected before secure TLS connection was established', /sslmode=disable/],
  ['connect ECONNREFUSED 127.0.0.1:5432', undefined],
])('a database that is away with "%s" comes with what to do, where that is known', (message, hint) => {
  const said = connectionHint(new Error('wrapped', { cause: new Error(message) }))
  if (hint) expect(said).toMatch(hint)
  else expect(said).toBeUndefined()
})

test('a command whose user may not use the socket of the service says so', () => {
  const error = Object.assign(new Error('connect EACCES /x/.s.PGSQL.5432'), { code: 'EACCES', syscall: 'connect' })
  expect(connectionProblem(new Error('Failed query', { cause: error }))).toMatch(/may not use the database of the service.*as root\.$/)
})
