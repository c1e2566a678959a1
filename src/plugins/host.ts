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
    transaction: <Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>) =>
      writing(db, { isSeveral: true }, (query) => work(insideOf(ground, acting, query))),
    files: filesOf(ground, acting),
    sql: async (texts: TemplateStringsArray, ...values: unknown[]) => {
      const { schemas, version } = await acting.reachAll()
      return readBySql(db, schemas, version, texts, values)
    },
  }) as unknown as Data
}

/** A `Db` whose statements are those of the transaction, so that reads see what was written before them. */
const insideOf = ({ db }: Ground, acting: Acting, query: Query): Pick<Data, 'records'> => {
  const place = { db: { ...db, query }, inside: query }
  return Object.freeze({ records: (table: string) => recordsOf(place, acting, table) }) as unknown as Pick<Data, 'records'>
}
