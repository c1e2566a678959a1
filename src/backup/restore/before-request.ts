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

/** What a user asks for: with `requestId`, everything that was committed before that request changed anything. */
export type RequestedTarget = Date | 'latest' | { requestId: string }

export const isRequest = (target: RequestedTarget): target is { requestId: string } => typeof target === 'object' && 'requestId' in target

type Search = {
  open: () => Bytes
  passphrase: string | undefined
  read: Pick<ReadBackup, 'manifest'>
  /** Its folder is removed afterwards. */
  copy: OpenCopy
  following: Omit<FollowOptions, 'target' | 'folder'>
}

/**
 * The transaction to recover up to. The log of changes is in the database, so the backup is recovered with the whole
 * archive first, and asked. Transactions of one request that ran at the same time may have committed in another order
 * than they wrote, so where there are several, the backup is recovered to just before the one found, and asked again.
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

/** Ids of transactions, in the order of their first change. Earlier epochs of the log have ids of another server. */
async function transactionsOf(sql: Sql, requestId: string): Promise<string[]> {
  if (!(await isOwnTable(sql, 'log_epochs'))) return []
  const rows = await sql<{ xid: string }[]>`select xid::text as xid from rowhouse.changes where request_id = ${requestId}
    and id >= (select first_id from rowhouse.log_epochs) group by xid order by min(id)`
  return rows.map(({ xid }) => xid)
}

/** @throws BackupError if the recovered database has changes of the request all the same */
export async function requireBefore(sql: Sql, target: RecoveryTarget | undefined): Promise<void> {
  if (!isBeforeTransaction(target)) return
  if ((await transactionsOf(sql, target.requestId)).length > 0) throw isInBackup(target)
}
