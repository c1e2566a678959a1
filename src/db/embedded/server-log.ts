import type { Events } from '../../ops/log/events'

type ServerLogEvents = { line: string; level: 'debug' | 'info' | 'warn' }

const continuation = /^(DETAIL|HINT|QUERY|CONTEXT|STATEMENT|LOCATION)\b/

/** Logged for each session that a shutdown ends, such as the session of a background task. */
const endedByStop = 'terminating connection due to administrator command'

/**
 * Classifies PostgreSQL's standard error line by line. Errors are dropped with all their lines: the sender of the
 * statement receives them, and they hold users' values (SEC-50).
 */
export function createServerLog(): (line: string) => ServerLogEvents | null {
  let level: ServerLogEvents['level'] | null = 'debug'
  let isStopping = false
  return (line) => {
    const [, severity, message = ''] = /^([A-Z]+\d?): {2}(.*)$/.exec(line) ?? []
    isStopping ||= severity === 'LOG' && message === 'received fast shutdown request'
    // DETAIL, HINT, CONTEXT and STATEMENT belong to the message before them, and so does a line that begins with a tab.
    if (severity && !continuation.test(severity)) level = isStopping && message === endedByStop ? 'debug' : levelOf(severity, message)
    return level && { line, level }
  }
}

function levelOf(severity: string, message: string): ServerLogEvents['level'] | null {
  if (severity === 'ERROR') return null
  if (severity === 'FATAL' || severity === 'PANIC') return 'warn'
  // The operator requests "duration" lines with log_min_duration_statement.
  return severity === 'WARNING' || (severity === 'LOG' && message.startsWith('duration: ')) ? 'info' : 'debug'
}

/** `failure`: the server crashed, or recovered, which empties unlogged tables. `ended` has its last words. */
export type CrashWatch = { failure: () => Error | null; ended: () => Error }

/** Watches a server's events from now on. */
export function watchForCrash(events: Events): CrashWatch {
  let failure: Error | null = null
  let lastWords = 'it was killed'
  const ended = () => new Error(`PostgreSQL ended meanwhile: ${lastWords}`)
  events.subscribe((event) => {
    if (event.kind === 'database_log' && event.level === 'warn' && !continuation.test(event.line)) lastWords = event.line
    // A backend that dies takes the others with it, and the postmaster restarts them.
    if (event.kind === 'database_died' || (event.kind === 'database_log' && /^PANIC:|; reinitializing$/.test(event.line))) failure = ended()
  })
  return { failure: () => failure, ended }
}
