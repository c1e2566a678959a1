import { sqlState } from '../../db/errors'
import type { Db, Query } from '../../db/open'

export type WriteOptions = {
  /** Does everything, checks every constraint, and undoes it. */
  isDryRun?: boolean
  /** Whether the work is more than one statement. */
  isSeveral?: boolean
}

/** Two writes that wait for each other, or that cannot be put one behind the other: one of them may try again. */
const passing = ['40P01', '40001']
const mostTries = 4
/** Times the number of the try: the other one may go on meanwhile. */
const pauseMs = 30

/** Carries the answer of a dry run out of the transaction that it undoes. */
class Undone<Result> extends Error {
  constructor(readonly result: Result) {
    super('A dry run is undone.')
  }
}

/** A write is done whole or not at all. @param work may run more than once, and then from its beginning */
export async function writing<Result>(db: Db, options: WriteOptions, work: (query: Query) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(db, options, work)
    } catch (error) {
      if (tries === mostTries || !passing.includes(sqlState(error) ?? '')) throw error
      await Bun.sleep(pauseMs * tries)
    }
  }
}

async function writeOnce<Result>(db: Db, { isDryRun, isSeveral }: WriteOptions, work: (query: Query) => Promise<Result>): Promise<Result> {
  if (isDryRun) return dryRun(db, work)
  return isSeveral ? db.transaction(work) : work(db.query)
}

async function dryRun<Result>(db: Db, work: (query: Query) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(async (query): Promise<never> => {
      const result = await work(query)
      // What would be checked at the commit, which never comes.
      await query('set constraints all immediate')
      throw new Undone(result)
    })
  } catch (error) {
    if (error instanceof Undone) return error.result
    throw error
  }
}
