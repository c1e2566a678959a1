/** Sends `next` without waiting for the result of `first`; PostgreSQL still executes `first` before it. */
export async function inOneTrip<Result>(first: () => Promise<unknown>, next: () => Promise<Result>): Promise<Result> {
  // A query is sent when it is awaited.
  const [, result] = await Promise.all([first().then(() => {}), next()])
  return result
}
