import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { childEnvironment } from '../db/embedded/become'
import type { Event, Events } from '../ops/log/events'
import type { Config } from '../ops/settings/config'

/** An event that is sent to ROWHOUSE_ALERT_URL and ROWHOUSE_ALERT_COMMAND. */
type Alert = Extract<Event, { kind: 'alert' }>

const maxDeliveryMs = 30_000

/** Delivers alerts while the process runs. Every alert is logged, with the reason if it cannot be delivered. */
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
  // Redirects are not followed: only the URL in the settings gets the alert.
  const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`It answered ${answer.status}.`)
}

async function run(command: string, body: string): Promise<void> {
  // A separate process group, so that the time limit ends a whole pipeline. The service's settings, with their secrets,
  // are not passed on.
  const child = spawn('/bin/sh', ['-c', command], { env: childEnvironment(), stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const limit = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), maxDeliveryMs)
  // A command need not read its input.
  child.stdin.on('error', () => {}).end(body)
  const [code, signal] = await ended.finally(() => clearTimeout(limit))
  if (code !== 0) throw new Error(`It ended with ${signal ?? `exit code ${code}`}.`)
}
