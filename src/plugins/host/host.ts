import type { Data } from 'rowhouse/plugin'
import { withTransaction } from '../../records/store/writes/transaction'
import type { DataAccess, HostDeps } from './data-access'
import { fileAccess } from './files'
import { recordAccess } from './records'
import { readBySql } from './sql'
import { runTransaction } from './transaction'

/** The small facade that a plugin gets instead of the database. */
export function dataOf(ground: HostDeps, acting: DataAccess): Data {
  const { db } = ground
  return Object.freeze({
    records: (table: string) => recordAccess(db, acting, table),
    transaction: async <Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>) => {
      const pinned = await acting.pinned()
      return withTransaction(db, { isSeveral: true }, (inside) => runTransaction(inside, pinned, work))
    },
    files: fileAccess(ground, acting),
    sql: async (texts: TemplateStringsArray, ...values: unknown[]) => {
      const { schemas, version } = await acting.getAllTables()
      return readBySql(db, schemas, version, texts, values)
    },
  }) as unknown as Data
}
