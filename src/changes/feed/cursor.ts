import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'

/**
 * Where a reader of the log is: all that was visible in the snapshot `from` has been read, and of what came with the
 * snapshot `to`, the changes up to `id`. Snapshots are PostgreSQL's (`pg_snapshot`), so that a transaction that commits
 * late is not missed, and nobody waits for one that is open.
 */
export type FeedCursor = {
  /** Of the log: another one where the database was moved or restored, whose snapshots mean something else. */
  epoch: string
  /** When it was made, in milliseconds since 1970. */
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

/** PostgreSQL reads no other. */
function isSnapshot(text: string): boolean {
  const [xmin = '', xmax = '', running = ''] = text.split(':')
  const ids = running === '' ? [] : running.split(',')
  if (ids.includes('') || xmin === '0' || [xmin, xmax, ...ids].some((each) => each.startsWith('0') || BigInt(each) >= 2n ** 63n))
    return false
  const list = [BigInt(xmin), ...ids.map(BigInt)]
  const isOrdered = list.every((each, index) => index < 2 || each > list[index - 1]!)
  return isOrdered && BigInt(xmin) <= BigInt(xmax) && list.slice(1).every((each) => each >= list[0]! && each < BigInt(xmax))
}

/** As `pg_visible_in_snapshot`, for the id of a transaction. */
export function visibleIn(text: string): (xid: string) => boolean {
  const { xmin, xmax, running } = parseSnapshot(text)
  return (xid) => {
    const id = BigInt(xid)
    return id < xmin || (id < xmax && !running.has(xid))
  }
}
