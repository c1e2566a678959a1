import { sqlState } from '../../../db/errors'
import type { Executor } from '../../../db/pool/open'

export type WriteOptions = {
  /** Runs the work, checks every constraint, and rolls back. */
  isDryRun?: boolean | undefined
  /** Whether the work takes more than one statement. A single statement is atomic without a transaction block. */
  needsTransaction?: boolean
}

type Work<Result> = (inside: Executor) => Promise<Result>

/** Deadlock, serialization failure: PostgreSQL ends one of the conflicting writes, which may try again. */
const retryableStates = ['40P01', '40001']
const maxTries = 4
/** The pause before attempt n is n times this, so that the other write can finish first. */
const retryPauseMs = 30

/**
 * Runs a write completely or not at all: in a transaction if `options` need one, otherwise as its single statement.
 * Within a transaction, the write is a part of it, and is not retried on its own.
 * @param work may run more than once, each time from its beginning
 */
export async function runAtomically<Result>(executor: Executor, options: WriteOptions, work: Work<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(executor, options, work)
    } catch (error) {
      if (executor.isTransaction || tries === maxTries || !retryableStates.includes(sqlState(error) ?? '')) throw error
      await Bun.sleep(retryPauseMs * tries)
    }
  }
}

async function writeOnce<Result>(executor: Executor, { isDryRun, needsTransaction }: WriteOptions, work: Work<Result>): Promise<Result> {
  if (isDryRun) return runDry(executor, work)
  return needsTransaction && !executor.isTransaction ? executor.transaction(work) : work(executor)
}

const runDry = <Result>({ transaction }: Executor, work: Work<Result>): Promise<Result> =>
  runUndone(transaction, async (inside: Executor) => {
    const result = await work(inside)
    // Deferred constraints are checked at a commit, and a dry run has none.
    await inside.query('set constraints all immediate')
    return result
  })

/**
 * Runs work and rolls it back.
 * @param transaction runs it in a transaction, or in a savepoint, that an error rolls back
 * @returns the result of the work
 */
export async function runUndone<Inside, Result>(
  transaction: (work: (inside: Inside) => Promise<never>) => Promise<unknown>,
  work: (inside: Inside) => Promise<Result>,
): Promise<Result> {
  const undone = new Error('The work is undone.')
  let result: Result | undefined
  try {
    await transaction(async (inside) => {
      result = await work(inside)
      throw undone
    })
  } catch (error) {
    if (error !== undone) throw error
  }
  return result as Result
}
