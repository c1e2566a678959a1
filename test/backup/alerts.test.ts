import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deliverAlerts } from '../../src/backup/alerts'
import { createEvents, type Event } from '../../src/ops/log/events'
import { newFolder } from '../support/executable'
import { until } from '../support/processes'

const alert: Event = { kind: 'alert', alert: 'backup_failed', message: 'The backup failed. The disk is full.' }
const expected = {
  kind: 'backup_failed',
  message: 'The backup failed. The disk is full.',
  at: expect.any(String),
  host: expect.any(String),
}

test('an alert is posted once, and given to a command; what cannot be delivered is told', async () => {
  const received: { body: unknown; method: string; type: string | null }[] = []
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      received.push({ body: await request.json(), method: request.method, type: request.headers.get('content-type') })
      return new Response(null, { status: received.length === 1 ? 204 : 500 })
    },
  })
  const file = join(newFolder(), 'told')
  const events = createEvents()
  const told: Event[] = []
  events.subscribe((event) => void told.push(event))
  deliverAlerts(events, { alertUrl: server.url.href, alertCommand: `cat > ${file}.part && mv ${file}.part ${file}` })
  events.emit({ kind: 'note', message: 'nothing' })
  events.emit(alert)
  await until('both have it', () => received.length === 1 && existsSync(file))
  expect(received).toEqual([{ body: expected, method: 'POST', type: 'application/json' }])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(expected)

  events.emit(alert)
  const failures = () => told.flatMap((event) => (event.kind === 'background_failed' ? event.task : []))
  await until('the log has it', () => failures().length === 1)
  expect([received.length, failures()]).toEqual([2, ['telling ROWHOUSE_ALERT_URL of it']])
})
