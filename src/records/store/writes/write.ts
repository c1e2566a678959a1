import { type CachedIdentity, requireVerified } from '../../../auth/identity/identity-check'
import type { Executor } from '../../../db/open'
import type { Table } from '../../../tables/model'
import { isWrittenInSteps } from './row-writes'
import { type WriteOptions, withTransaction } from './transaction'

/**
 * Whether one record is written in a statement with those of other requests (`batched-writes.ts`): nothing else is to
 * be done, and nothing may have to be undone.
 */
export const isBatchable = (
  executor: Executor,
  { table, names, isInsert, isDryRun }: { table: Table; names: readonly string[]; isInsert: boolean; isDryRun: boolean | undefined },
): boolean =>
  !executor.isTransaction && !isDryRun && !table.actsOnStatements && names.length > 0 && !isWrittenInSteps(table, names, isInsert)

/**
 * Any other write: a statement of its own, or a transaction where it takes several or may have to be undone.
 * @throws Failure unavailable as `requireVerified`
 */
export async function writeAlone<Result>(
  executor: Executor,
  { identity, ...options }: WriteOptions & { identity?: CachedIdentity | undefined },
  work: (inside: Executor) => Promise<Result>,
): Promise<Result> {
  requireVerified(identity)
  return withTransaction(executor, options, work)
}
