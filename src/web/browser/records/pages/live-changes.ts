import type { TableView } from '../../../../tables/model'
import { areOwnWrites } from '../../api/own-writes'
import { isUnreachable, waitUntilReachable } from '../../api/reachability'
import { listPosition, setListPosition } from '../list/first-page'

type Feed = { changes: { requestId: string | null; tableId: string }[]; cursor: string; reset: boolean }

/** Below the limits of common proxies, which close an idle connection after 30 to 60 s. */
const waitS = 25
/** The minimum time between two refreshes. */
const minPauseMs = 1000
/** After a list that takes long to fetch, the pause is this many times as long as the fetch. */
const pauseFactor = 4
/** The number of changes in a full response of the service. More follow it, and one refresh shows them all. */
const maxChanges = 2000

/**
 * Follows the changes of a table, and of the tables that its columns show, until `signal` aborts. Gives up if the table
 * is not logged or the session has expired; the window then refreshes only when it gets the focus.
 * @param refresh fetches the displayed records again; resolves to false while they are not loaded
 */
export async function followChanges(table: TableView, refresh: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const linked = linkedTables(table)
  let tables = [...new Set([table.id, ...linked])]
  let cursor = listPosition(table.id)
  while (!signal.aborted) {
    const parameters = new URLSearchParams({
      tables: tables.join(),
      wait: String(cursor ? waitS : 0),
      ...(cursor ? { after: cursor } : {}),
    })
    // Without `send`: a request that the user has not caused must not ask them to sign in again.
    const response = await fetch(`/api/v1/changes?${parameters}`, { signal }).catch(() => null)
    const feed = response?.ok ? ((await response.json().catch(() => null)) as Feed | null) : null
    if (signal.aborted) return
    if (feed) {
      // The list may have been read before the first position was known.
      let isDue = !cursor || feed.reset || !(await areOwnWrites(feed.changes.map(({ requestId }) => requestId)))
      // Linked records are shown in other rows as well, but a window updates only the rows of its own writes.
      isDue ||= feed.changes.some(({ tableId }) => linked.includes(tableId))
      cursor = feed.changes.length < maxChanges ? feed.cursor : null
      while (isDue && !signal.aborted) {
        const startedAt = performance.now()
        // A pending list may have been read before the change.
        isDue = await refresh().then((outcome) => outcome === false, isUnreachable)
        await pause(Math.max(minPauseMs, (performance.now() - startedAt) * pauseFactor), signal)
        if (isDue) await waitUntilReachable()
      }
      if (!signal.aborted) setListPosition(table.id, cursor)
    } else if (response && response.status >= 400 && response.status < 500 && response.status !== 429) {
      // A linked table may not be logged or not be readable.
      if (tables.length === 1) return
      tables = [table.id]
    } else await waitUntilReachable()
  }
}

/** The tables that the links, lookups and rollups lead to, which may be the table itself. */
const linkedTables = ({ columns }: TableView): string[] =>
  columns.flatMap(({ options }) => (typeof options.table === 'string' ? [options.table] : []))

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })
