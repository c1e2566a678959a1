import { isAway } from '../../db/errors'
import { Failure } from '../../errors'
import { withRetries } from '../../retries'

/** Half a minute in total, since a restart of the database or the storage takes several seconds. */
const waitsMs = [500, 1000, 2000, 4000, 8000, 15_000]

const isPassing = (error: unknown): boolean => (error instanceof Failure && error.kind === 'unavailable') || isAway(error)

/** Retries while the database or the storage is briefly unreachable. @throws the signal's reason, or the last error */
export const retryWhileAway = <Result>(work: (tries: number) => Promise<Result>, signal: AbortSignal): Promise<Result> =>
  withRetries(work, { waitsMs, isPassing, signal })
