import { hostname } from 'node:os'
import type { Config } from '../ops/config'
import type { Event, Events } from '../ops/events'

/** What an operator is told of without having to look: sent to ROWHOUSE_ALERT_URL and ROWHOUSE_ALERT_COMMAND. */
type Alert = Extract<Event, { kind: 'alert' }>

const maxDeliveryMs = 30_000

/** Delivers alerts for as long as the process runs. What cannot be delivered is in the log, beside the alert itself. */
export function deliverAlerts(events: Events, { alertUrl, alertCommand }: Pick<Config, 'alertUrl' | 'alertCommand'>): void {
  events.subscribe((event) => {
    if (event.kind !== 'alert') return
    const body = JSON.stringify(toBody(event))
    const deliver = (to: string, delivery: Promise<void>) =>
      delivery.catch((error) => events.emit({ kind: 'background_failed', task: `telling ${to} of it`, error }))
    if (alertUrl !== undefined) void deliver('ROWHOUSE_ALERT_URL', post(alertUrl, body))
    if (alertCommand !== undefined) void deliver('ROWHOUSE_ALERT_COMMAND', run(alertCommand, body))
  })
}

const toBody = ({ alert, message }: Alert) => ({ kind: alert, message, at: new Date().toISOString(), host: hostname() })

async function post(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(maxDeliveryMs)
  // Another address than the one that was set is not told.
  const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`It answered ${answer.status}.`)
}

async function run(command: string, body: string): Promise<void> {
  const child = Bun.spawn(['/bin/sh', '-c', command], {
    stdin: Buffer.from(body),
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: maxDeliveryMs,
  })
  const code = await child.exited
  if (code !== 0) throw new Error(`It ended with ${child.signalCode ?? `exit code ${code}`}.`)
}
