import { expect, test } from 'bun:test'
import { isAway, sqlState } from '../../src/db/failures'

const coded = (code: string) => Object.assign(new Error(code), { code })

test('a broken connection is no state of PostgreSQL, however its name is spelt', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'CONNECTION_CLOSED']) {
    expect(sqlState(coded(code))).toBeUndefined()
    expect(isAway(coded(code))).toBe(true)
  }
  expect(sqlState(coded('23505'))).toBe('23505')
})
