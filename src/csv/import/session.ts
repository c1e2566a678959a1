import type { TransactionSql } from 'postgres'
import type { Query } from '../../db/pool/open'

/** The transaction of one import. Its running statement is cancelled when the client leaves or the time is up. */
export type ImportSession = {
  tx: TransactionSql
  run: <Row extends object>(text: string, parameters?: (string | null)[]) => Promise<Row[] & { count: number }>
  /** The rows of a query, `maxRows` at a time: all of them may not fit into memory. */
  read: <Row extends object>(text: string, maxRows: number) => AsyncGenerator<Row[]>
  /** Runs work in a savepoint. If it throws, its changes are undone and the transaction continues. */
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
    read: async function* (text, maxRows) {
      for await (const rows of tx.unsafe(text).cursor(maxRows)) {
        signal.throwIfAborted()
        yield rows as never
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
