/** Work that takes longer than a request for records. */
type LongJob = 'export' | 'import' | 'document' | 'page' | 'backup'

/** The credential of a request. If it is unknown, only the hash of its secret. */
export type RequestCredential = { kind: 'token' | 'session' } & (
  | { id: string; userId: string; secretHash?: undefined }
  | { id?: undefined; secretHash: string }
)

/** Why a request with a credential was rejected. `detail` is the name of a table, a role or a group. */
export type RequestRefusal = { code: string; reason: string; detail: string | null }

/** Details that cost something to compute. Must be read before the event's listener returns. */
export type RequestDetails = {
  readonly address: string
  /** The pattern of the route; null if none answered. */
  readonly route: string | null
  readonly caller: { userId: string; tokenId: string | null } | null
  /** Null without a credential, and for a malformed one. */
  readonly credential: RequestCredential | null
  /** Null if it was not rejected, or if a plugin made the response. */
  readonly refusal: RequestRefusal | null
  /** The length of the body; null for one that is streamed without a length. */
  bytes: () => Promise<number | null>
}

/** The closed list of events. Logs and metrics subscribe; the code that emits knows neither. */
export type Event =
  | { kind: 'request_done'; requestId: string; method: string; path: string; status: number; durationMs: number; details: RequestDetails }
  | { kind: 'request_failed'; requestId: string; method: string; path: string; error: unknown }
  | { kind: 'job_started'; job: LongJob }
  | { kind: 'job_ended'; job: LongJob; outcome: 'ok' | 'failed' | 'cancelled'; durationMs: number }
  | { kind: 'sign_in'; outcome: 'ok' | 'failed' | 'throttled' | 'refused' }
  | { kind: 'started'; url: string; database: string; setupUrl?: string }
  | { kind: 'stopping'; reason: string }
  | { kind: 'stopped' }
  | { kind: 'database_away'; error: unknown; retryMs: number; hint?: string }
  | { kind: 'database_back' }
  | { kind: 'database_died'; code: number | null; signal: string | null }
  | { kind: 'database_log'; line: string; level: 'debug' | 'info' | 'warn' }
  | { kind: 'statement_slow'; statement: string; durationMs: number }
  | { kind: 'background_failed'; task: string; error: unknown }
  | { kind: 'hash_unreadable'; userId: string }
  | { kind: 'file_missing'; fileId: string; place: string }
  | { kind: 'plugin_left_out'; problem: string }
  | { kind: 'plugin_failed'; plugin: string; requestId: string; method: string; path: string; error: Error }
  | { kind: 'plugin_warned'; plugin: string; requestId: string; method: string; path: string; message: string }
  | { kind: 'plugin_log'; plugin: string; level: 'debug' | 'info' | 'warn' | 'error'; requestId?: string; message: string; fields: object }
  | { kind: 'alert'; alert: 'backup_failed' | 'backup_late' | 'backup_damaged'; message: string }
  | { kind: 'note'; message: string }
  | { kind: 'warning'; message: string }
  | { kind: 'progress'; message: string }

export type Events = {
  emit: (event: Event) => void
  /** @returns a function that unsubscribes */
  subscribe: (listener: (event: Event) => void) => () => void
}

/** A listener that fails affects neither the emitter nor other listeners. */
function tell(listener: (event: Event) => void, event: Event) {
  try {
    listener(event)
  } catch {}
}

export function createEvents(): Events {
  const listeners = new Set<(event: Event) => void>()
  return {
    emit: (event) => {
      for (const listener of listeners) tell(listener, event)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * The same events while one database is served. `end` removes every listener that subscribed through it, because
 * listeners of a database that was moved away would keep writing to it. Events can still be emitted.
 */
export function eventsUntilEnd(events: Events): Events & { end: () => void } {
  const endings: (() => void)[] = []
  return {
    emit: events.emit,
    subscribe: (listener) => {
      const end = events.subscribe(listener)
      endings.push(end)
      return end
    },
    end: () => {
      for (const end of endings.splice(0)) end()
    },
  }
}
