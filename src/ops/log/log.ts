import pino, { type Logger } from 'pino'
import type { Config } from '../settings/config'
import type { Event, Events } from './events'
import type { TextOutput } from './output'
import { displayMessage, displayStatement } from './shown-statement'

export const logFormat = (config: Config): 'text' | 'json' => config.logFormat ?? (process.stdout.isTTY ? 'text' : 'json')

export async function createLogger(config: Config, output: TextOutput): Promise<Logger> {
  const options = { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (logFormat(config) === 'json') return pino(options, output)
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({ colorize: process.stdout.isTTY, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' })
  return pino(options, { write: (line) => output.write(pretty(line)) })
}

/** `untold` are the kinds of events that the operator already sees elsewhere. */
type LogOptions = { untold?: readonly Event['kind'][]; accessLog?: boolean }

type RequestDone = Extract<Event, { kind: 'request_done' }>

/** Writes a line of the access log. Its duration ends when the response begins. */
async function logAccess(log: Logger, { requestId, method, path, status, durationMs, details }: RequestDone) {
  const { address, route, caller } = details
  const fields = { requestId, method, path, route, status, durationMs: roundedMs(durationMs), address, ...caller }
  const bytes = await details.bytes().catch(() => null)
  log[status >= 500 ? 'warn' : 'info']({ ...fields, bytes }, 'request')
}

const roundedMs = (durationMs: number) => Math.round(durationMs * 10) / 10

/** Decides which events are logged, and at which level. */
export function logEvents(events: Events, log: Logger, { untold = [], accessLog = false }: LogOptions = {}) {
  events.subscribe((event) => {
    if (untold.includes(event.kind) || isCountedOnly(event)) return
    if (event.kind === 'request_done' && accessLog) return void logAccess(log, event)
    // The one event that every request emits, so no line is built in vain.
    if (event.kind === 'request_done' && event.status < 500 && !log.isLevelEnabled('debug')) return
    const { level, message, fields } = describeEvent(event)
    log[level](fields, message)
  })
}

type CountedEvent = Extract<Event, { kind: 'job_started' | 'job_ended' | 'sign_in' }>

/** Events that only metrics use. */
const isCountedOnly = (event: Event): event is CountedEvent => ['job_started', 'job_ended', 'sign_in'].includes(event.kind)

type Line = { level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: object }

function describeEvent(event: Exclude<Event, CountedEvent>): Line {
  switch (event.kind) {
    case 'request_done': {
      const { kind: _, details, ...fields } = event
      return {
        level: event.status >= 500 ? 'warn' : 'debug',
        message: 'request',
        fields: { ...fields, durationMs: roundedMs(event.durationMs), address: details.address },
      }
    }
    case 'request_failed':
      return {
        level: 'error',
        message: 'request failed',
        fields: { requestId: event.requestId, method: event.method, path: event.path, err: safeError(event.error) },
      }
    case 'started':
      return {
        level: 'info',
        message: startedMessage(event),
        fields: { url: event.url, database: event.database, setupUrl: event.setupUrl },
      }
    case 'stopping':
      return { level: 'info', message: `stopping: ${event.reason}`, fields: {} }
    case 'stopped':
      return { level: 'info', message: 'stopped', fields: {} }
    case 'database_away':
      return {
        level: 'warn',
        message: 'the database cannot be reached; trying again',
        fields: { retryMs: event.retryMs, reason: reasonOf(event.error), hint: event.hint },
      }
    case 'database_back':
      return { level: 'info', message: 'the database is back', fields: {} }
    case 'database_died':
      return {
        level: 'error',
        message: 'PostgreSQL ended unexpectedly; starting it again',
        fields: { code: event.code, signal: event.signal },
      }
    case 'database_log':
      return { level: event.level, message: `postgres: ${event.line}`, fields: {} }
    case 'statement_slow':
      return {
        level: 'warn',
        message: 'a statement was slow',
        fields: { durationMs: Math.round(event.durationMs), statement: event.statement },
      }
    case 'background_failed':
      return { level: 'warn', message: `in the background: ${event.task} failed`, fields: { reason: reasonOf(event.error) } }
    case 'hash_unreadable':
      return {
        level: 'error',
        message: 'the password hash of a user is damaged; give them a new password (rowhouse users reset-password)',
        fields: { userId: event.userId },
      }
    case 'file_missing':
      return {
        level: 'error',
        message: `the bytes of a file are missing or damaged in ${event.place}; rowhouse files check lists all such files`,
        fields: { fileId: event.fileId },
      }
    case 'plugin_left_out':
      return { level: 'error', message: `a plugin was left out: ${event.problem}`, fields: {} }
    case 'plugin_failed': {
      const { kind: _, error, ...fields } = event
      return { level: 'error', message: `the plugin ${event.plugin} failed`, fields: { ...fields, err: safeError(error) } }
    }
    case 'plugin_warned': {
      const { kind: _, message, ...fields } = event
      return { level: 'warn', message: `the plugin ${event.plugin}: ${message}`, fields }
    }
    case 'plugin_log':
      return {
        level: event.level,
        message: event.message,
        fields: { plugin: event.plugin, requestId: event.requestId, fields: event.fields },
      }
    case 'alert':
      return { level: 'error', message: event.message, fields: { alert: event.alert } }
    case 'note':
      return { level: 'info', message: event.message, fields: {} }
    case 'warning':
      return { level: 'warn', message: event.message, fields: {} }
    case 'progress':
      return { level: 'info', message: event.message, fields: {} }
  }
}

const startedMessage = ({ url, setupUrl }: { url: string; setupUrl?: string }) =>
  setupUrl ? `listening on ${url}; set it up at ${setupUrl}` : `listening on ${url}`

/** Where it was thrown. The rest of a stack repeats the message, which can have many lines. */
export const placesOf = ({ stack = '', message }: Error): string =>
  stack
    .replace(message, () => '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

const reasonOf = (error: unknown) => (error instanceof Error ? error.message.split('\n')[0] : String(error))

/**
 * A database error contains the statement's parameters and detail, which are users' values (SEC-50): they are left out.
 */
function safeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const cause = error.cause instanceof Error ? error.cause : error
  const { code = '', routine, query } = cause as { code?: string; routine?: string; query?: string }
  if (routine === undefined) return { type: cause.name, code: code || undefined, message: cause.message, stack: placesOf(cause) }
  const message = `PostgreSQL refused a statement (${code}, ${routine}): ${displayMessage(code, cause.message)}`
  return { type: cause.name, code, message, statement: query && displayStatement(query), stack: placesOf(cause) }
}
