import type { Db } from '../../db/open'
import { outsideOfScopes } from '../../db/scope'
import type { Events } from '../../ops/events'
import type { FeedCursor } from './cursor'
import { type FeedBatch, presentCursor, readBatch } from './reader'

/**
 * Tells listeners of the changes in the log. One reader is for all listeners of an instance, and none while nobody
 * listens. It looks when a request of this instance has written, and five times a second for what others have: an empty
 * look costs one statement, while NOTIFY in a writer's transaction takes a lock of the whole server at its commit, and
 * LISTEN does not pass a pooler.
 */
export type ChangeFeed = {
  /**
   * @param take is called with each batch that is read from now on, and with null when the feed stops
   * @returns what ends it, once changes that others commit from now on are sure to be in a batch
   */
  subscribe: (take: (batch: FeedBatch | null) => void) => Promise<() => void>
  /** Ends all listeners, as the service does when it stops. */
  stop: () => void
}

const lookIntervalMs = 200

export function createChangeFeed(db: Db, events: Events): ChangeFeed {
  const takers = new Set<(batch: FeedBatch | null) => void>()
  let position: FeedCursor | null = null
  let beginning: Promise<FeedCursor> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLooking = false
  let isWanted = false
  let isStopped = false

  const look = async () => {
    isWanted = false
    let next = await begin()
    for (let isWhole = false; !isWhole && takers.size > 0; ) {
      const batch = await readBatch(db.query, next)
      position = next = batch.end
      isWhole = batch.isWhole
      if (batch.entries.length) for (const take of takers) take(batch)
    }
  }

  /** Where the reader is. Those who ask at a time begin at one place, and none takes it back. */
  const begin = async (): Promise<FeedCursor> => {
    if (position) return position
    beginning ??= outsideOfScopes(() => presentCursor(db.query)).finally(() => {
      beginning = null
    })
    const begun = await beginning
    position ??= begun
    return position
  }

  /** One look at a time; what asks for one meanwhile gets another. */
  const run = async () => {
    clearTimeout(timer)
    if (isLooking || isStopped) return
    isLooking = true
    try {
      await outsideOfScopes(look)
    } catch (error) {
      // Listeners go on when the database is there again; what was missed comes then.
      events.emit({ kind: 'background_failed', task: 'reading the log of changes', error })
    } finally {
      isLooking = false
      schedule(isWanted ? 0 : lookIntervalMs)
    }
  }

  const schedule = (waitMs: number) => {
    clearTimeout(timer)
    if (takers.size > 0 && !isStopped) timer = setTimeout(() => void run(), waitMs)
    else position = null
  }

  events.subscribe((event) => {
    if (event.kind !== 'request_done' || takers.size === 0 || event.method === 'GET' || event.method === 'HEAD') return
    isWanted = true
    if (!isLooking) schedule(0)
  })

  return {
    subscribe: async (take) => {
      if (isStopped) take(null)
      else takers.add(take)
      const leave = () => void takers.delete(take)
      try {
        await begin()
      } catch (error) {
        leave()
        throw error
      }
      if (!isLooking) schedule(0)
      return leave
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      for (const take of [...takers]) take(null)
      takers.clear()
    },
  }
}
