import type { RequestCredential } from '../../ops/log/events'
import { hashSecret } from '../secret'

/** One rejected request. `route` is the pattern, so that neither keys nor a query are stored. */
export type Refused = {
  credential: RequestCredential
  requestId: string
  method: string
  route: string | null
  status: number
  code: string | null
  reason: string
  detail: string | null
}

/** Equal rejections within a minute. */
export type PendingRefusal = Omit<Refused, 'requestId'> & {
  minute: number
  at: number
  lastAt: number
  count: number
  requestIds: string[]
}

/** The maximum per row; the newest remain. */
export const maxRequestIds = 100

const maxPending = 1000
/** The maximum per credential, which leaves room for others. */
const maxPendingEach = 50
const minuteMs = 60_000

/** The rejections that are waiting to be written: bounded, however many requests are rejected. */
export class PendingRefusals {
  readonly #pending = new Map<string, PendingRefusal>()
  readonly #counts = new Map<string, number>()
  /** The number of rejections that were dropped for lack of room. */
  dropped = 0

  get size(): number {
    return this.#pending.size
  }

  add(refused: Refused, now: number): void {
    const { requestId, ...alike } = refused
    const owner = refused.credential.id ?? refused.credential.secretHash
    const minute = now - (now % minuteMs)
    const key = `${owner} ${minute} ${foldKeyOf(refused)}`
    const found = this.#pending.get(key)
    if (found) {
      found.count += 1
      found.lastAt = now
      if (found.requestIds.unshift(requestId) > maxRequestIds) found.requestIds.pop()
      return
    }
    const count = this.#counts.get(owner) ?? 0
    if (this.#pending.size >= maxPending || count >= maxPendingEach) {
      this.dropped += 1
      return
    }
    this.#counts.set(owner, count + 1)
    this.#pending.set(key, { ...alike, minute, at: now, lastAt: now, count: 1, requestIds: [requestId] })
  }

  takeAll(): PendingRefusal[] {
    const all = [...this.#pending.values()]
    this.#pending.clear()
    this.#counts.clear()
    return all
  }
}

export const foldKeyOf = ({ method, route, status, code, reason, detail }: Omit<Refused, 'credential' | 'requestId'>): string =>
  hashSecret(JSON.stringify([method, route, status, code, reason, detail]))
