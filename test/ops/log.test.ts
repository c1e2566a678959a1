import { expect, test } from 'bun:test'
import pino from 'pino'
import { createEvents, type Event } from '../../src/ops/log/events'
import { logEvents } from '../../src/ops/log/log'
import { startApp } from '../support/app'

/** What the log would hold after these events, as JSON lines. */
function logged(...events: Event[]): { level: number; msg: string; err?: { message: string }; [field: string]: unknown }[] {
  const lines: string[] = []
  const source = createEvents()
  logEvents(source, pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }))
  for (const event of events) source.emit(event)
  return lines.map((line) => JSON.parse(line))
}

const request = { requestId: 'r', method: 'GET', path: '/x' }
const details = {
  address: '192.0.2.1',
  route: '/:any',
  caller: { userId: 'u', tokenId: null },
  bytes: async () => 12,
}
const levels = { debug: 20, info: 30, warn: 40, error: 50 }

test.each([
  ['an answer', { kind: 'request_done', ...request, status: 200, durationMs: 1.23456, details }, 'debug'],
  ['an answer that blames ourselves', { kind: 'request_done', ...request, status: 503, durationMs: 1, details }, 'warn'],
  ['a request that failed', { kind: 'request_failed', ...request, error: new Error('x') }, 'error'],
  ['the death of the database', { kind: 'database_died', code: null, signal: 'SIGKILL' }, 'error'],
  ['its absence', { kind: 'database_away', error: new Error('x'), retryMs: 5 }, 'warn'],
  ['its return', { kind: 'database_back' }, 'info'],
  ['a line of PostgreSQL', { kind: 'database_log', line: 'x', level: 'debug' }, 'debug'],
  ['a severe line of PostgreSQL', { kind: 'database_log', line: 'x', level: 'warn' }, 'warn'],
  ['a slow statement', { kind: 'statement_slow', statement: 'select $1', durationMs: 1200.4 }, 'warn'],
  ['the stop', { kind: 'stopping', reason: 'SIGTERM' }, 'info'],
] as [string, Event, keyof typeof levels][])('%s is one line of the level %s', (_what, event, level) => {
  const lines = logged(event)
  expect(lines).toHaveLength(1)
  expect(lines[0]!.level).toBe(levels[level])
  expect(lines[0]!.msg).not.toBe('')
})

test('an error of the database is logged without the values that were in the statement', async () => {
  const { deps } = await startApp({}, { users: false })
  const error = await deps.db
    .query("insert into rowhouse.users (id, email, name, role) values (gen_random_uuid(), 'zebra7@example.org', 'x', 'zebra7')")
    .catch((failed) => failed)
  const wrapped = new Error('Failed query: insert … params: zebra7', { cause: error })
  for (const failed of [error, wrapped]) {
    const [line] = logged({ kind: 'request_failed', ...request, error: failed })
    expect(JSON.stringify(line)).not.toContain('zebra7')
    expect(line!.err!.message).toContain('23514')
    expect(line!.err).toMatchObject({
      statement: expect.stringContaining('insert into rowhouse.users (id, email, name, role) values (gen_random_uuid(), '),
    })
  }
})

test('of an error’s stack only the places are logged, whoever threw it: a message can have many lines of users’ values', () => {
  const values = 'line one zebra7\n  zebra7 line two\n    at zebra7 (home:1:1)'
  const cause = Object.assign(new Error(values), { code: '22P02', routine: 'pg_strtoint64_safe' })
  for (const error of [cause, new Error('Failed query', { cause })]) {
    const [line] = logged({ kind: 'request_failed', ...request, error })
    expect(JSON.stringify(line)).not.toContain('zebra7')
    expect((line!.err as { stack?: string }).stack).toMatch(/^\s+at .*log\.test\.ts/)
  }
  const [line] = logged({ kind: 'request_failed', ...request, error: new Error('one\ntwo') })
  expect((line!.err as { stack?: string }).stack).not.toContain('two')
})

test('a listener that fails keeps nobody from being told', () => {
  const events = createEvents()
  const told: Event[] = []
  events.subscribe(() => {
    throw new Error('x')
  })
  events.subscribe((event) => void told.push(event))
  events.emit({ kind: 'stopped' })
  expect(told).toEqual([{ kind: 'stopped' }])
})
