const checkIntervalMs = 500

/** @template Kind what has an end, by `performance.now()`, which may be moved meanwhile */
type DeadlineHandlers<Kind> = {
  /** Makes what is sent of what was answered. */
  finish: (exchange: Kind, response: Response) => Response
  /** The answer where there is none: it failed. */
  fail: (exchange: Kind, error: unknown) => Response
  /** The answer of one whose time is up; null where it has got some more. */
  giveUp: (exchange: Kind) => Response | null
  /** Looks after one that is under way, from time to time. */
  look?: (exchange: Kind, now: number) => void
}

/** In a ring, since a set or a map whose entries come and go by thousands a second takes longer than all else here. */
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

  /** @returns false where it has left before */
  leave(): boolean {
    if (this.after === this) return false
    this.before.after = this.after
    this.after.before = this.before
    this.before = this
    this.after = this
    return true
  }
}

/** Every request ends in time. One clock is for all of them: a timer for each would cost more than most of them. */
export class Deadline<Kind extends { endsAt: number }> {
  readonly #ring = new DeadlineEntry(
    () => Number.POSITIVE_INFINITY,
    () => {},
    () => {},
  )
  readonly #clock = setInterval(() => this.#check(), checkIntervalMs)

  constructor(private readonly ends: DeadlineHandlers<Kind>) {}

  /** What is sent: the first of the answer, its failure and the end of its time. */
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
    // First all of them, since the ring is another one with each that leaves it.
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
