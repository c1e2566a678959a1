import type { TransactionSql } from 'postgres'
import type { Query } from '../../db/open'

/** The transaction of one import. Whoever leaves, or runs out of time, ends the statement that runs in it. */
export type ImportSession = {
  tx: TransactionSql
  run: <Row extends object>(text: string, parameters?: (string | null)[]) => Promise<Row[] & { count: number }>
  /** What `work` throws undoes what it did, and the transaction goes on. */
  attempt: <Result>(work: (session: ImportSession) => Promise<Result>) => Promise<Result>
}

export function createImportSession(tx: TransactionSql, signal: AbortSignal): ImportSession {
  return {
    tx,
    run: async (text, parameters = []) => {
      signal.throwIfAborted()
      const query = tx.unsafe(text, parameters)
      const cancel = () => void query.cancel()
      signal.addEventListener('abort', cancel)
      try {
        return (await query) as never
      } catch (error) {
        signal.throwIfAborted()
        throw error
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
    attempt: async (work) =>
      (await tx.savepoint(async (inner) => ({ result: await work(createImportSession(inner, signal)) }))).result as never,
  }
}

export const sessionQuery =
  ({ run }: ImportSession): Query =>
  (text, parameters = []) =>
    run(text, [...parameters]) as never
