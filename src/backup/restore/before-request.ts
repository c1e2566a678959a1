import { rmSync } from 'node:fs'
import type { Sql } from 'postgres'
import { isOwnTable } from '../../db/schema/own-tables'
import { requireRestorable } from '../archive/manifest'
import { clusterFolder } from '../archive/names'
import type { ReadBackup } from '../archive/reader'
import type { Bytes } from '../archive/seal'
import { type OpenCopy, throwaway } from '../copy/open-copy'
import { unpackBackup } from '../copy/unpack'
import { BackupError } from '../errors'
import type { FollowOptions, RecoveryTarget } from '../wal/follow'
import { isBeforeTransaction, isInBackup, withRecovered } from './recover'

/**
 * The target of a restore as a user specifies it. With `requestId`, the target is everything that was committed before
 * the first change of that request.
 */
export type RequestedTarget = Date | 'latest' | { requestId: string }

export const isRequest = (target: RequestedTarget): target is { requestId: string } => typeof target === 'object' && 'requestId' in target

type Search = {
  open: () => Bytes
  passphrase: string | undefined
  read: Pick<ReadBackup, 'manifest'>
  /** The search removes its folder afterwards. */
  copy: OpenCopy
  following: Omit<FollowOptions, 'target' | 'folder'>
}

/**
 * Finds the transaction before which a recovery ends. The log of changes is in the database, so the backup is first
 * recovered with the whole archive and queried. Concurrent transactions of one request may have committed in a
 * different order than they wrote. So if there are several, the backup is recovered to just before the first and
 * queried again.
 * @throws BackupError if no change of the request is known
 */
export async function findTarget(requested: RequestedTarget, search: Search): Promise<RecoveryTarget> {
  if (!isRequest(requested)) return requested
  const { requestId } = requested
  let xids = await transactionsAt(search, 'latest', requestId)
  if (xids.length === 0)
    throw new BackupError(
      `No change of the request ${requestId} is in the archive of the log. The log of changes has those of ROWHOUSE_HISTORY_DAYS, by the X-Request-Id of the response.`,
    )
  for (;;) {
    const target = { requestId, xid: xids[0]! }
    if (xids.length === 1) return target
    const before = await transactionsAt(search, target, requestId)
    if (before.length === 0) return target
    if (before.length >= xids.length) throw isInBackup(target)
    xids = before
  }
}

async function transactionsAt(search: Search, target: RecoveryTarget, requestId: string): Promise<string[]> {
  const { open, passphrase, read, copy, following } = search
  const { folder, signal } = copy
  try {
    const isWanted = (name: string) => name.startsWith(`${clusterFolder}/`) && !name.endsWith('/postgresql.auto.conf')
    await unpackBackup(open(), { folder, passphrase, signal, isWanted, begin: requireRestorable })
    const recovery = { copy: { ...copy, settings: throwaway }, read, following: { ...following, folder, target } }
    return await withRecovered(recovery, (sql) => transactionsOf(sql, requestId))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Ids of transactions, in the order of their first change. Earlier epochs of the log contain ids of another server. */
async function transactionsOf(sql: Sql, requestId: string): Promise<string[]> {
  if (!(await isOwnTable(sql, 'log_epochs'))) return []
  const rows = await sql<{ xid: string }[]>`select xid::text as xid from rowhouse.changes where request_id = ${requestId}
    and id >= (select first_id from rowhouse.log_epochs) group by xid order by min(id)`
  return rows.map(({ xid }) => xid)
}

/** @throws BackupError if the recovered database still has changes of the request */
export async function requireBefore(sql: Sql, target: RecoveryTarget | undefined): Promise<void> {
  if (!isBeforeTransaction(target)) return
  if ((await transactionsOf(sql, target.requestId)).length > 0) throw isInBackup(target)
}
