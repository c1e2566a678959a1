import type { Db } from '../../db/pool/open'
import { outsideOfScopes } from '../../db/pool/scope'
import type { Events } from '../../ops/log/events'
import type { FeedCursor } from './cursor'
import { type FeedBatch, presentCursor, readBatch } from './reader'

/**
 * Sends the changes in the log to listeners. One reader serves all listeners of an instance, and none runs without
 * listeners. It reads after each writing request of this instance, and five times a second for changes by others: a
 * read without changes costs one statement, while NOTIFY in a writer's transaction locks the whole server at its
 * commit, and LISTEN does not work through a pooler.
 */
export type ChangeFeed = {
  /**
   * @param take called with each batch read from now on, and with null when the feed stops
   * @returns a function that unsubscribes; resolves once any change committed from now on is sure to be in a batch
   */
  subscribe: (take: (batch: FeedBatch | null) => void) => Promise<() => void>
  /** Ends all listeners when the service stops. */
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

  /**
   * The position of the reader. Concurrent subscribers start at the same position, and a new one does not move it back.
   */
  const begin = async (): Promise<FeedCursor> => {
    if (position) return position
    beginning ??= outsideOfScopes(() => presentCursor(db.query)).finally(() => {
      beginning = null
    })
    const begun = await beginning
    position ??= begun
    return position
  }

  /** One read at a time; a request during a read starts another one afterwards. */
  const run = async () => {
    clearTimeout(timer)
    if (isLooking || isStopped) return
    isLooking = true
    try {
      await outsideOfScopes(look)
    } catch (error) {
      // Listeners continue when the database is reachable again, and then get the changes they missed.
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
