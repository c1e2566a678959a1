import { RequestScope } from '../../db/pool/scope'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'

/** The longest time that a request waits for the work of others that share its statement. */
const maxSharedMs = 1000

/**
 * Runs a statement that several requests share. It is cancelled when it takes long, and withdrawn when one of the
 * requests ends before PostgreSQL has begun it. A shared read is also withdrawn when all of its requests have ended.
 * The remaining requests can then run separate statements, each within its own time limit.
 * @param isWritten for a statement that writes: whether its result shows that the write of the request at this place of
 * `scopes` is done. A statement may succeed without writing, because the identity of one request is stale.
 */
export async function inSharedScope<Result>(
  scopes: readonly (RequestScope | undefined)[],
  isWritten: ((result: Result, place: number) => boolean) | null,
  work: () => Promise<Result>,
): Promise<Result> {
  const shared = new RequestScope()
  shared.caller = scopes[0]?.caller
  shared.origin = scopes[0]?.origin
  shared.outerDepth = Math.max(...scopes.map((scope) => scope?.depth ?? 0))
  const withdraw = () => {
    const isWanted = isWritten || scopes.some((scope) => !scope?.reason)
    if (!shared.isActive || !isWanted) shared.end(unavailable(translatable('The requests continue separately.')))
  }
  const leave = isWritten ? scopes.map((scope) => scope?.joinWrite()) : []
  let hasWritten = (_place: number) => false
  for (const scope of scopes) scope?.onEnd(withdraw)
  const clock = setInterval(() => shared.cancelOlderThan(maxSharedMs, performance.now()), maxSharedMs / 2)
  try {
    const result = await shared.run(work)
    if (isWritten) hasWritten = (place) => isWritten(result, place)
    return result
  } finally {
    clearInterval(clock)
    const { isOutcomeUnknown } = shared
    for (const [place, each] of leave.entries()) each?.({ hasWritten: hasWritten(place), isOutcomeUnknown })
  }
}
