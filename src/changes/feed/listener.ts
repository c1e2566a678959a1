import { arrayLiteral } from '../../db/arrays'
import type { Db } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import type { Tables } from '../../tables/catalog/catalog'
import type { Table } from '../../tables/model'
import { type LogEntry, namedColumns, toChange } from '../log-entry'
import type { Change } from '../model'
import { type FeedCursor, visibleIn, xmaxOf } from './cursor'
import type { ChangeFeed } from './feed'
import type { FeedFilter } from './filter'
import { type FeedBatch, presentCursor, readBatch } from './reader'
import { sightOfEntries } from './sight'

/**
 * What a listener receives: changes with the cursor after each, a new cursor alone, or a notice that it missed some
 * changes.
 */
export type FeedEvent =
  | { kind: 'change'; cursor: FeedCursor; change: FeedChange }
  | { kind: 'position'; cursor: FeedCursor }
  | { kind: 'reset'; cursor: FeedCursor }

/** `leave` is a change after which the record no longer matches the filter, or the caller may no longer see it. */
type FeedChange = Omit<Change, 'action'> & { table: string; tableId: string; action: Change['action'] | 'leave' }

export type Listening = {
  db: Db
  feed: ChangeFeed
  historyDays: number
  /** The caller's current tables, and those with subscriptions. @throws Failure when the caller has lost access */
  reach: () => Promise<{ tables: Tables; feedTables: Table[] }>
  filter: FeedFilter | null
  signal: AbortSignal
}

/** A reader that lags by this many batches is disconnected; it continues from its last event. */
const maxWaiting = 100
/** How often the caller's rights are checked if nothing else happens. */
const checkIntervalMs = 800

const dayMs = 24 * 60 * 60 * 1000

/**
 * Events from a cursor on, or from now on, until the signal or the feed ends. Yields an empty list from time to time.
 * @throws Failure like `reach`
 */
export async function* listen(listening: Listening, cursor: FeedCursor | null): AsyncGenerator<FeedEvent[]> {
  const waiting: FeedBatch[] = []
  let isEnded = false
  let wake = () => {}
  const end = () => {
    isEnded = true
    wake()
  }
  listening.signal.addEventListener('abort', end)
  const leave = await listening.feed.subscribe((batch) => {
    if (batch && waiting.length < maxWaiting) waiting.push(batch)
    else isEnded = true
    wake()
  })
  try {
    const present = await outside(() => presentCursor(listening.db.query))
    let position = cursor && isWithinReach(cursor, present, listening) ? cursor : present
    yield [{ kind: cursor && position !== cursor ? 'reset' : 'position', cursor: position }]
    if (position === cursor) {
      // Existing changes are always sent; a disconnect ends this between two batches.
      for (let isWhole = false; !isWhole; ) {
        const { feedTables } = await listening.reach()
        const batch = await outside(() => readBatch(listening.db.query, position, arrayLiteral(feedTables.map(({ id }) => id))))
        yield* eventsOf(listening, batch)
        yield []
        position = batch.end
        isWhole = batch.isWhole
      }
    }
    // Batches of the feed repeat changes that were already read here.
    const isRead = visibleIn(position.from)
    while (!isEnded) {
      const batch = waiting.shift()
      if (batch) yield* eventsOf(listening, { ...batch, entries: batch.entries.filter(({ xid }) => !isRead(xid)) })
      else {
        await until((done) => {
          wake = done
        }, checkIntervalMs)
        if (!isEnded && waiting.length === 0) {
          await listening.reach()
          yield []
        }
      }
    }
  } finally {
    leave()
    listening.signal.removeEventListener('abort', end)
  }
}

/** A listener's statements do not belong to a request, so they do not end with one. */
const outside = <Result>(work: () => Promise<Result>): Promise<Result> => outsideOfScopes(work)

/**
 * If the server's transaction counter is lower than the cursor's, the server was restored and has lost changes that the
 * reader has seen.
 */
const isWithinReach = (cursor: FeedCursor, present: FeedCursor, { historyDays }: Listening): boolean =>
  cursor.epoch === present.epoch && xmaxOf(cursor.to ?? cursor.from) <= xmaxOf(present.from) && cursor.at > Date.now() - historyDays * dayMs

async function* eventsOf(listening: Listening, batch: FeedBatch): AsyncGenerator<FeedEvent[]> {
  if (batch.entries.length === 0) return
  const { feedTables, tables } = await listening.reach()
  const seen = await outside(() => sightOfEntries(listening.db.query, { tables, feedTables, filter: listening.filter }, batch.entries))
  const events: FeedEvent[] = []
  const columns = new Map<Table, Awaited<ReturnType<typeof namedColumns>>>()
  for (const { entry, table, isLeaving } of seen) {
    if (!columns.has(table)) columns.set(table, await outside(() => namedColumns(listening.db.query, table)))
    const change = isLeaving ? leaving(entry, table) : toFeedChange(entry, table, columns.get(table)!, listening.filter)
    if (change) events.push({ kind: 'change', cursor: batch.cursorAt(entry), change })
  }
  // Even if the last changes are not for the caller, the new cursor spares a reader that reconnects from searching them
  // again.
  if (batch.isWhole) events.push({ kind: 'position', cursor: batch.end })
  yield events
}

function toFeedChange(
  entry: LogEntry,
  table: Table,
  columns: Awaited<ReturnType<typeof namedColumns>>,
  filter: FeedFilter | null,
): FeedChange | null {
  const change = toChange(entry, columns, table)
  const changes = filter?.names ? change.changes.filter(({ name }) => filter.names!.includes(name)) : change.changes
  // A change of columns that the caller does not see or did not subscribe to is left out.
  if (change.action === 'update' && change.oldPk === null && changes.length === 0) return null
  return { ...change, changes, table: table.name, tableId: table.id }
}

function leaving(entry: LogEntry, table: Table): FeedChange {
  const { id, at, pk, oldPk } = toChange(entry, { columnAt: () => null, showsGone: false }, table)
  const nobody = { userId: null, credential: null, plugin: null, role: null }
  return { id, at, pk, oldPk, action: 'leave', by: nobody, requestId: null, changes: [], table: table.name, tableId: table.id }
}

/** All listeners wake at the same times, so that their callers are looked up together. */
function until(begin: (done: () => void) => void, intervalMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, intervalMs - (Date.now() % intervalMs))
    begin(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
