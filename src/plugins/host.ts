import type { Data } from 'rowhouse/plugin'
import type { Query } from '../db/open'
import { writing } from '../records/writing'
import type { Acting, Ground } from './acting'
import { filesOf } from './files'
import { recordsOf } from './records'
import { readBySql } from './sql'

/** The small facade that a plugin gets instead of the database. */
export function dataOf(ground: Ground, acting: Acting): Data {
  const { db } = ground
  return Object.freeze({
    records: (table: string) => recordsOf({ db, inside: null }, acting, table),
    transaction: async <Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>) => {
      const pinned = await acting.pinned()
      return writing(db, { isSeveral: true }, (query) => untilEnded(acting.ending, work(insideOf(ground, pinned, query))))
    },
    files: filesOf(ground, acting),
    sql: async (texts: TemplateStringsArray, ...values: unknown[]) => {
      const { schemas, version } = await acting.reachAll()
      return readBySql(db, schemas, version, texts, values)
    },
  }) as unknown as Data
}

/** A `Db` whose statements are those of the transaction, so that reads see what was written before them. */
const insideOf = ({ db }: Ground, acting: Acting, query: Query): Pick<Data, 'records'> => {
  // Once it is undone, its connection is somebody else's.
  const whileItLasts: Query = (...statement) => {
    acting.ending.throwIfAborted()
    return query(...statement)
  }
  const place = { db: { ...db, query: whileItLasts }, inside: whileItLasts }
  return Object.freeze({ records: (table: string) => recordsOf(place, acting, table) }) as unknown as Pick<Data, 'records'>
}

/** Does not wait for work that nobody waits for: its transaction would keep others waiting. @throws what ended the call */
async function untilEnded<Result>(ending: AbortSignal, work: Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(ending.reason)
  ending.addEventListener('abort', end, { once: true })
  if (ending.aborted) end()
  try {
    const result = await Promise.race([work, over.promise])
    ending.throwIfAborted()
    return result
  } finally {
    ending.removeEventListener('abort', end)
    Promise.resolve(work).catch(() => {})
  }
}
