import { RequestScope } from '../../db/scope'
import { unavailable } from '../../errors'
import { translatable } from '../../messages/message'

/** The longest time that a request waits for the work of others that share its statement. */
const maxSharedMs = 1000

/**
 * Runs a statement that several requests share. It is cancelled when it takes long, and withdrawn when one of the
 * requests ends before PostgreSQL has begun it. A shared read is also withdrawn when all of its requests have ended.
 * The remaining requests can then run statements of their own, each within its own time limit.
 * @param isWrite whether the requests must know if the statement has changed anything
 */
export async function inSharedScope<Result>(
  scopes: readonly (RequestScope | undefined)[],
  isWrite: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  const shared = new RequestScope()
  shared.caller = scopes[0]?.caller
  shared.outerDepth = Math.max(...scopes.map((scope) => scope?.depth ?? 0))
  const withdraw = () => {
    const isWanted = isWrite || scopes.some((scope) => !scope?.reason)
    if (!shared.isActive || !isWanted) shared.end(unavailable(translatable('The requests go on separately.')))
  }
  const joined = isWrite ? scopes.flatMap((scope) => scope?.joinWrite() ?? []) : []
  for (const scope of scopes) scope?.onEnd(withdraw)
  const clock = setInterval(() => shared.cancelOlderThan(maxSharedMs, performance.now()), maxSharedMs / 2)
  try {
    return await shared.run(work)
  } finally {
    clearInterval(clock)
    for (const leave of joined) leave(shared)
  }
}
