import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * A reader's position in the log: it has read all changes visible in the snapshot `from`, and of those that became
 * visible with the snapshot `to`, the changes up to `id`. Snapshots are PostgreSQL's (`pg_snapshot`), so that a
 * transaction that commits late is not missed, and no reader waits for an open one.
 */
export type FeedCursor = {
  /**
   * The epoch of the log: it changes when the database is moved or restored, because older snapshots then have a
   * different meaning.
   */
  epoch: string
  /** When it was created, in milliseconds since 1970. */
  at: number
  from: string
  to: string | null
  id: string
}

export const writeFeedCursor = ({ epoch, at, from, to, id }: FeedCursor): string => [epoch, at.toString(36), from, to ?? '', id].join('~')

const cursorPattern = /^(\d{1,18})~([0-9a-z]{1,12})~(\d{1,20}:\d{1,20}:[\d,]{0,20000})~(\d{1,20}:\d{1,20}:[\d,]{0,20000})?~(\d{1,18})$/

/** @throws Failure invalid_request */
export function readFeedCursor(text: string): FeedCursor {
  const [, epoch, at, from, to, id] = cursorPattern.exec(text) ?? []
  if (epoch === undefined || !isSnapshot(from!) || (to !== undefined && !isSnapshot(to))) {
    throw invalidRequest(translatable('The cursor cannot be read.'), translatable('Send the id of the last event, unchanged.'))
  }
  return { epoch, at: Number.parseInt(at!, 36), from: from!, to: to ?? null, id: id! }
}

type Snapshot = { xmin: bigint; xmax: bigint; running: ReadonlySet<string> }

function parseSnapshot(text: string): Snapshot {
  const [xmin = '0', xmax = '0', running = ''] = text.split(':')
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), running: new Set(running.split(',')) }
}

/** PostgreSQL does not parse any other form. */
function isSnapshot(text: string): boolean {
  const [xmin = '', xmax = '', running = ''] = text.split(':')
  const ids = running === '' ? [] : running.split(',')
  if (ids.includes('') || xmin === '0' || [xmin, xmax, ...ids].some((each) => each.startsWith('0') || BigInt(each) >= 2n ** 63n))
    return false
  const list = [BigInt(xmin), ...ids.map(BigInt)]
  const isOrdered = list.every((each, index) => index < 2 || each > list[index - 1]!)
  return isOrdered && BigInt(xmin) <= BigInt(xmax) && list.slice(1).every((each) => each >= list[0]! && each < BigInt(xmax))
}

/** Like `pg_snapshot_xmax`. */
export const xmaxOf = (text: string): bigint => parseSnapshot(text).xmax

/** Like `pg_visible_in_snapshot`, for the id of a transaction. */
export function visibleIn(text: string): (xid: string) => boolean {
  const { xmin, xmax, running } = parseSnapshot(text)
  return (xid) => {
    const id = BigInt(xid)
    return id < xmin || (id < xmax && !running.has(xid))
  }
}
