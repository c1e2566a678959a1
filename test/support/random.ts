/**
 * Numbers from 0 to below 1, as `Math.random` gives them, from a printed seed: `TEST_SEED=…` repeats the choices of a
 * failed run. `test/run.ts` sets a fixed one, and a new one for drills.
 */
export function printedRandom(): () => number {
  const seed = Number(process.env.TEST_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.info(`TEST_SEED=${seed}`)
  // Mulberry32.
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
