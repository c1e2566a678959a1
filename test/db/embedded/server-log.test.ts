import { expect, test } from 'bun:test'
import { createServerLog, watchForCrash } from '../../../src/db/embedded/server-log'
import { createEvents } from '../../../src/ops/log/events'

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

test('sessions that our own stop ends are no warning', () => {
  const read = createServerLog()
  const ended = 'FATAL:  terminating connection due to administrator command'
  const lines = [
    [ended, 'warn'],
    ['LOG:  received fast shutdown request', 'debug'],
    ['LOG:  aborting any active transactions', 'debug'],
    [ended, 'debug'],
    ['FATAL:  the database system is shutting down', 'warn'],
  ] as const
  expect(lines.map(([line]) => read(line))).toEqual(lines.map(([line, level]) => ({ line, level })))
})

test('the last words of a server are its message, not the statement after it, which holds values', () => {
  const events = createEvents()
  const { failure, ended } = watchForCrash(events)
  const lines = [
    'PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device',
    "STATEMENT:  insert into people values ('zebra7')",
  ]
  for (const line of lines) events.emit({ kind: 'database_log', level: 'warn', line })
  expect([failure()?.message, ended().message]).toEqual([
    `PostgreSQL ended meanwhile: ${lines[0]}`,
    `PostgreSQL ended meanwhile: ${lines[0]}`,
  ])
})
