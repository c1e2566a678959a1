const checkIntervalMs = 500

/** @template Kind has an `endsAt` by `performance.now()`, which may be extended meanwhile */
type DeadlineHandlers<Kind> = {
  /** Completes a response before it is sent. */
  finish: (exchange: Kind, response: Response) => Response
  /** The response for an exchange that failed. */
  fail: (exchange: Kind, error: unknown) => Response
  /** The response for an exchange whose time is up; null if its time was extended. */
  giveUp: (exchange: Kind) => Response | null
  /** Checks a running exchange, from time to time. */
  look?: (exchange: Kind, now: number) => void
}

/**
 * Entries form a ring: adding and removing thousands a second in a Set or Map takes longer than everything else here.
 */
class DeadlineEntry {
  before: DeadlineEntry = this
  after: DeadlineEntry = this

  constructor(
    readonly endsAt: () => number,
    readonly giveUp: () => void,
    readonly look: (now: number) => void,
  ) {}

  join(ring: DeadlineEntry): void {
    this.before = ring.before
    this.after = ring
    this.before.after = this
    ring.before = this
  }

  /** @returns false if it has left before */
  leave(): boolean {
    if (this.after === this) return false
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
    return true
  }
}

/** Every request ends in time. All share one clock: a timer for each would cost more than most requests do. */
export class Deadline<Kind extends { endsAt: number }> {
  readonly #ring = new DeadlineEntry(
    () => Number.POSITIVE_INFINITY,
    () => {},
    () => {},
  )
  readonly #clock = setInterval(() => this.#check(), checkIntervalMs)

  constructor(private readonly ends: DeadlineHandlers<Kind>) {}

  /** Resolves with the first of three responses: the answer, its failure, or that of the timeout. */
  hold(exchange: Kind, answer: Promise<Response>): Promise<Response> {
    const { finish, fail, giveUp, look } = this.ends
    return new Promise((send, refuse) => {
      const end = (response: () => Response) => {
        if (!held.leave()) return
        try {
          send(finish(exchange, response()))
        } catch (error) {
          refuse(error)
        }
      }
      const held = new DeadlineEntry(
        () => exchange.endsAt,
        () => {
          const response = giveUp(exchange)
          if (response) end(() => response)
        },
        (now) => look?.(exchange, now),
      )
      held.join(this.#ring)
      answer.then(
        (response) => end(() => response),
        (error) => end(() => fail(exchange, error)),
      )
    })
  }

  #check(): void {
    const [now, all] = [performance.now(), [] as DeadlineEntry[]]
    // Collect first: entries leave the ring while we iterate.
    for (let held = this.#ring.after; held !== this.#ring; held = held.after) all.push(held)
    for (const held of all) {
      if (held.endsAt() < now) held.giveUp()
      else held.look(now)
    }
  }

  stop(): void {
    clearInterval(this.#clock)
  }
}
