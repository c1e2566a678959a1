import { type CachedIdentity, requireVerified } from '../../../auth/identity/identity-check'
import type { Executor } from '../../../db/pool/open'
import type { Table } from '../../../tables/model'
import { isWrittenInSteps } from './row-writes'
import { runAtomically, type WriteOptions } from './transaction'

/**
 * Whether a write of one record may share a statement with those of other requests (`batched-writes.ts`). It may when
 * that statement does all of the work and is never rolled back on purpose.
 */
export const isBatchable = (
  executor: Executor,
  { table, names, isInsert, isDryRun }: { table: Table; names: readonly string[]; isInsert: boolean; isDryRun: boolean | undefined },
): boolean =>
  !executor.isTransaction && !isDryRun && !table.actsOnStatements && names.length > 0 && !isWrittenInSteps(table, names, isInsert)

/**
 * Runs any other write: in a separate statement, or in a transaction when it takes several statements or is a dry run.
 * @throws Failure unavailable like `requireVerified`
 */
export async function writeAlone<Result>(
  executor: Executor,
  { identity, ...options }: WriteOptions & { identity?: CachedIdentity | undefined },
  work: (inside: Executor) => Promise<Result>,
): Promise<Result> {
  requireVerified(identity)
  return runAtomically(executor, options, work)
}
