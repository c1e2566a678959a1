/**
 * Waits for work for at most this time. The work itself continues; an error that it throws later is ignored.
 * @param onLate returns the result, or throws, when the time is up
 */
export async function withTimeout<Result, Late = never>(
  work: PromiseLike<Result>,
  limitMs: number,
  onLate: () => Late,
): Promise<Result | Late> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), Math.max(limitMs, 0))
  const done = Promise.resolve(work).then((result) => ({ result }))
  done.catch(() => {})
  try {
    const first = await Promise.race([done, late.promise])
    return first === 'late' ? onLate() : first.result
  } finally {
    clearTimeout(timer)
  }
}
