import type { Logger } from 'rowhouse/plugin'
import type { Events } from '../ops/log/events'
import type { Plugin } from './load/load'

const levels = ['debug', 'info', 'warn', 'error'] as const

/** The log for a plugin. Each entry has the plugin's name. */
export function loggerFor(events: Events, { name, settings }: Pick<Plugin, 'name' | 'settings'>, requestId?: string): Logger {
  const write =
    (level: (typeof levels)[number]) =>
    (message: unknown, fields: unknown = {}) =>
      events.emit({
        kind: 'plugin_log',
        plugin: name,
        level,
        requestId,
        message: redact(String(message), settings.secrets),
        fields: redactFields(fields, settings.secrets),
      })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

const redact = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)

function redactFields(fields: unknown, secrets: readonly string[]): object {
  try {
    const copy = JSON.parse(redact(JSON.stringify(fields) ?? '{}', secrets.map(escaped)))
    return typeof copy === 'object' && copy !== null ? copy : { value: copy }
  } catch {
    return { fields: 'cannot be shown' }
  }
}

/** The text as it is within JSON. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

/** An error that a plugin threw, without the values of its settings, for the log. */
export function redactError(error: unknown, { settings }: Plugin): Error {
  const thrown = error instanceof Error ? error : new Error(`It threw something that is not an Error: ${typeof error}`)
  const copy = new Error(redact(thrown.message, settings.secrets))
  copy.name = thrown.name
  copy.stack = redact(thrown.stack ?? '', settings.secrets)
  return copy
}
