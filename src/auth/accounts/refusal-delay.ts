const checksRetained = 32
const minMs = 100
const maxMs = 2000

/** `rowhouse.begin_attempt` lets so many attempts of one account at one address be checked at a time. */
const checksAtOnce = 5

/**
 * How long a refusal waits for its answer. Some refusals have checked a password and most have not, which the time they
 * take must not tell: so all of them take longer than the last of the checks that one caller can ask for at once.
 * @param width how many passwords are hashed at a time (ROWHOUSE_ARGON2_CONCURRENCY)
 */
export function createRefusalDelay(width: number) {
  const recent: number[] = []
  const factor = Math.ceil(checksAtOnce / width) + 1
  return {
    /** Notes how long a check took, its wait for others included. */
    record: (ms: number) => {
      recent.push(ms)
      if (recent.length > checksRetained) recent.shift()
    },
    /** Before the first check nothing is known but the most. */
    ms: (): number => (recent.length === 0 ? maxMs : Math.min(maxMs, Math.max(minMs, factor * Math.max(...recent)))),
  }
}
