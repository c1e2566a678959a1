import { expect, test } from 'bun:test'
import { createServerLog } from '../../../src/db/embedded/server-log'

test('warnings and durations of PostgreSQL are told, errors are not, with all that belongs to them: they hold values', () => {
  const read = createServerLog()
  const lines = [
    ['LOG:  database system is ready to accept connections', 'debug'],
    ['WARNING:  there is already a transaction in progress', 'info'],
    ['ERROR:  duplicate key value violates unique constraint "people_email"', null],
    ['DETAIL:  Key (email)=(zebra7@example.org) already exists.', null],
    ['\tzebra7', null],
    ['LOG:  duration: 12.3 ms  statement: select 1', 'info'],
    ['\tfrom x', 'info'],
    ['FATAL:  the database system is shutting down', 'warn'],
    ['HINT:  Wait.', 'warn'],
    ['PANIC:  could not write to file', 'warn'],
  ] as const
  expect(lines.map(([line]) => read(line))).toEqual(lines.map(([line, level]) => level && { line, level }))
})
