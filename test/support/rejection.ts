/**
 * How a promise ended, for `expect(await settled(promise)).toThrow(…)`: a function that returns its value or throws its
 * error. Bun's `expect(promise).rejects` runs the event loop inside of the call instead of awaiting
 * (docs/decisions/033-awaited-rejections.md).
 */
export async function settled<Value>(promise: PromiseLike<Value>): Promise<() => Value> {
  try {
    const value = await promise
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

/** The error of a promise that must be rejected. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  const outcome = await settled(promise)
  try {
    outcome()
  } catch (error) {
    return error
  }
  throw new Error('The promise was fulfilled.')
}
