import { conflict, Failure, unavailable } from '../errors'
import { translatable, verbatim } from '../messages/message'

/** Codes of postgres.js and of the operating system for a missing or lost connection. */
const gone = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'FailedToOpenSocket',
])

/** SQLSTATE (PostgreSQL's manual, appendix A). */
export const sqlState = (error: unknown): string | undefined => {
  const code = codeOf(error)
  // EPIPE also has five letters, like an SQLSTATE.
  return code && /^[0-9A-Z]{5}$/.test(code) && !gone.has(code) ? code : undefined
}

const ownClasses = new Set(
  `00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX`.split(
    ' ',
  ),
)

/** Whether a function or trigger invented the SQLSTATE: its class is not one of PostgreSQL's. */
export const isMadeUp = (state: string): boolean => !ownClasses.has(state.slice(0, 2))

/**
 * Whether a function of the database's owner raised the error. Class P0 comes from PL/pgSQL, in which Rowhouse has no
 * function that raises; the other classes come from functions in other languages, or are not PostgreSQL's at all.
 */
export const isRaised = (state: string): boolean => /^(P0|09|28|2F|38|39|HV)/.test(state) || isMadeUp(state)

/** Whether the author of a function or trigger raised the error on purpose, with a message for the caller. */
const isTold = (state: string): boolean => state === 'P0001' || isMadeUp(state)

/** The failure if the database's owner raised the error in a function or trigger; null for other errors. */
export function ruleFailure(state: string, error: { message: string; hint?: string }): Failure | null {
  if (isTold(state)) return toRuleFailure(error)
  // The text may come from PostgreSQL and hold values, so it is not repeated.
  return isRaised(state) ? toRuleFailure() : null
}

/** @param raised the message of a trigger; undefined when a trigger skipped the row without an error */
export function toRuleFailure(raised?: { message: string; hint?: string }): Failure {
  const hint = raised?.hint
    ? verbatim(raised.hint)
    : translatable('A trigger of the table does not allow it; ask the administrator of the database.')
  const message = raised
    ? translatable('A rule in the database refused this: {reason}', { reason: toSentence(raised.message) })
    : translatable('A rule in the database refused this.')
  return conflict(message, { hint })
}

const toSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`).replace(/[!?]$/, (sign) => `${sign}.`)

/** drizzle wraps the driver's errors. */
export const driverError = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? driverError(error.cause) : error

function codeOf(error: unknown): string | undefined {
  const code = (driverError(error) as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** ENOENT means a missing socket only while connecting; from a file it means something else. */
const isGone = (error: unknown, code: string): boolean =>
  gone.has(code) || (code === 'ENOENT' && (driverError(error) as { syscall?: string }).syscall === 'connect')

/**
 * Whether the error is about a connection to another server, such as one that a plugin opens. Such errors also have the
 * codes of the operating system, but only our driver adds the statement.
 */
export function isFromElsewhere(error: unknown): boolean {
  const [source, code] = [driverError(error), codeOf(error)]
  return source instanceof Error && code !== undefined && isGone(error, code) && !code.startsWith('CONNECT') && !('query' in source)
}

/** Errors of statements that were never sent, because no connection could be opened. */
const unsent = new WeakSet<object>()

/** Marks an error whose statement was never sent. */
export function noteUnsent(error: unknown): void {
  const source = driverError(error)
  if (source instanceof Error) unsent.add(source)
}

/**
 * Whether it is unknown if a statement took effect, because its connection was lost after it was sent. A statement that
 * PostgreSQL rejects took no effect, whatever its SQLSTATE: triggers can also raise those of lost connections. Only an
 * error with severity FATAL ends the connection, in PgBouncer as well.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof Failure) return false
  const source = driverError(error) ?? {}
  if (unsent.has(source)) return false
  const { severity } = source as { severity?: string }
  return sqlState(error) === undefined || severity === 'FATAL' || severity === 'PANIC'
}

/** The failure if the database itself could not serve the request; null for errors that depend on the request. */
export function databaseFailure(error: unknown): Failure | null {
  const code = codeOf(error)
  if (!code) return null
  if (isGone(error, code)) return unavailable(translatable('The database is unavailable; it should be back in a moment.'))
  if (code === '57014') {
    return new Failure('query_timeout', translatable('The query took longer than allowed and was cancelled.'), {
      hint: translatable('Use a narrower filter, a smaller limit or fewer columns.'),
      headers: { 'retry-after': '5' },
    })
  }
  // Shutdown, crash recovery, connection exceptions, too many connections, a lock or snapshot held by another
  // transaction, read-only standby.
  if (/^(57P0[1-5]|08...|53300|55P03|40001|40P01|25006)$/.test(code))
    return unavailable(translatable('The database is busy or restarting.'))
  if (/^(53100|53200)$/.test(code)) return new Failure('insufficient_storage', translatable('The database is out of memory or disk space.'))
  return null
}

/** Whether the database cannot be reached at all, as opposed to having rejected a statement. */
export const isAway = (error: unknown): boolean => databaseFailure(error)?.kind === 'unavailable'

/**
 * For the operator: a sentence on why the database cannot be reached; null for errors unrelated to the connection.
 * @param setting the setting that holds the database's URL
 */
export function connectionProblem(error: unknown, setting = 'DATABASE_URL'): string | null {
  const source = driverError(error)
  const code = codeOf(error)
  if (!(source instanceof Error) || !code) return null
  if ((code === 'EACCES' || code === 'EPERM') && (source as { syscall?: string }).syscall === 'connect') {
    return 'This user may not use the database of the service, which is running. Run the command as the user who runs the service, or as root.'
  }
  if (isGone(error, code)) return `The database cannot be reached: ${source.message}. Is it running, and is ${setting} right?`
  // Class 28 is "invalid authorization", 3D000 "no such database", 42501 "insufficient privilege".
  if (/^(28...|3D000|42501)$/.test(code)) return `The database refuses us: ${source.message}. Check user, password and name in ${setting}.`
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER|VERIFY/.test(code)) {
    return `The database's certificate is not accepted: ${source.message}. Name the certificate that it was signed with in DATABASE_CA_FILE.`
  }
  return null
}

/** What to do about a database that will not become reachable by itself; undefined if there is no advice. */
export function connectionHint(error: unknown): string | undefined {
  const { message = '' } = (driverError(error) ?? {}) as { message?: string }
  if (message.includes('unsupported startup parameter')) {
    return 'This looks like PgBouncer: set DATABASE_PREPARE=0, and DATABASE_DIRECT_URL to the server behind it.'
  }
  if (message.includes('before secure TLS connection was established')) {
    return 'The server may not offer TLS: set up TLS there, or use sslmode=prefer or sslmode=disable in DATABASE_URL.'
  }
  return undefined
}
