const checksRetained = 32
const minMs = 100
const maxMs = 2000

/** `rowhouse.begin_attempt` allows this many concurrent checks for one account from one IP. */
const checksAtOnce = 5

/**
 * The delay before a failed sign-in is answered. Only some failures have verified a password, and timing must not
 * reveal which. So every failure takes longer than the slowest of the concurrent checks that one caller can request.
 * @param width how many passwords are hashed at a time (ROWHOUSE_ARGON2_CONCURRENCY)
 */
export function createRefusalDelay(width: number) {
  const recent: number[] = []
  const factor = Math.ceil(checksAtOnce / width) + 1
  return {
    /** Records how long a check took, including the time in the queue. */
    record: (ms: number) => {
      recent.push(ms)
      if (recent.length > checksRetained) recent.shift()
    },
    /** Only the maximum is known before the first check. */
    ms: (): number => (recent.length === 0 ? maxMs : Math.min(maxMs, Math.max(minMs, factor * Math.max(...recent)))),
  }
}
