import type { Data } from 'rowhouse/plugin'
import { writing } from '../../records/store/transaction'
import type { Acting, Ground } from './data-access'
import { filesOf } from './files'
import { recordsOf } from './records'
import { readBySql } from './sql'
import { runTransaction } from './transaction'

/** The small facade that a plugin gets instead of the database. */
export function dataOf(ground: Ground, acting: Acting): Data {
  const { db } = ground
  return Object.freeze({
    records: (table: string) => recordsOf({ db, inside: null }, acting, table),
    transaction: async <Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>) => {
      const pinned = await acting.pinned()
      return writing(db, { isSeveral: true }, (query) => runTransaction(db, pinned, query, work))
    },
    files: filesOf(ground, acting),
    sql: async (texts: TemplateStringsArray, ...values: unknown[]) => {
      const { schemas, version } = await acting.reachAll()
      return readBySql(db, schemas, version, texts, values)
    },
  }) as unknown as Data
}
