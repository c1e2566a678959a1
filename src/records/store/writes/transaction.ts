import { sqlState } from '../../../db/errors'
import type { Executor } from '../../../db/open'

export type WriteOptions = {
  /** Does everything, checks every constraint, and undoes it. */
  isDryRun?: boolean | undefined
  /** Whether the work is more than one statement. */
  isSeveral?: boolean
}

type Work<Result> = (inside: Executor) => Promise<Result>

/** Deadlock, serialization failure: one of the writes that clashed may try again. */
const retryableStates = ['40P01', '40001']
const maxTries = 4
/** Times the number of the try: the other one may go on meanwhile. */
const retryPauseMs = 30

/** Carries the result of a dry run out of the transaction that it undoes. */
class Undone<Result> extends Error {
  constructor(readonly result: Result) {
    super('A dry run is undone.')
  }
}

/**
 * A write is done whole or not at all. Within a transaction it is a part of that, and does not try again by itself.
 * @param work may run more than once, and then from its beginning
 */
export async function withTransaction<Result>(executor: Executor, options: WriteOptions, work: Work<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(executor, options, work)
    } catch (error) {
      if (executor.isTransaction || tries === maxTries || !retryableStates.includes(sqlState(error) ?? '')) throw error
      await Bun.sleep(retryPauseMs * tries)
    }
  }
}

async function writeOnce<Result>(executor: Executor, { isDryRun, isSeveral }: WriteOptions, work: Work<Result>): Promise<Result> {
  if (isDryRun) return runDry(executor, work)
  return isSeveral && !executor.isTransaction ? executor.transaction(work) : work(executor)
}

async function runDry<Result>(executor: Executor, work: Work<Result>): Promise<Result> {
  try {
    return await executor.transaction(async (inside): Promise<never> => {
      const result = await work(inside)
      // What would be checked at the commit, which never comes.
      await inside.query('set constraints all immediate')
      throw new Undone(result)
    })
  } catch (error) {
    if (error instanceof Undone) return error.result
    throw error
  }
}
