import type { Data } from 'rowhouse/plugin'
import { runAtomically } from '../../records/store/writes/transaction'
import type { DataAccess, HostDeps } from './data-access'
import { fileAccess } from './files'
import { recordAccess } from './records'
import { readBySql } from './sql'
import { runTransaction } from './transaction'

/** The small facade that a plugin gets instead of the database. */
export function dataOf(deps: HostDeps, access: DataAccess): Data {
  const { db } = deps
  return Object.freeze({
    records: (table: string) => recordAccess(db, access, table),
    transaction: async <Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>) => {
      const pinned = await access.pinned()
      return runAtomically(db, { needsTransaction: true }, (inside) => runTransaction(inside, pinned, work))
    },
    files: fileAccess(deps, access),
    sql: async (texts: TemplateStringsArray, ...values: unknown[]) => {
      const { schemas, version } = await access.getAllTables()
      return readBySql(db, schemas, version, texts, values)
    },
  }) as unknown as Data
}
