import { sqlState } from '../../db/errors'
import { lockKeys } from '../../db/lock-keys'
import type { Query } from '../../db/pool/open'
import { catalogPath } from '../../db/search-path'
import { readStorageRow } from '../storage/identity'
import { markerName } from '../storage/storage'
import { copyAll, copyFiles } from './copy'
import { MoveError } from './errors'
import type { FileMove } from './file-move'
import { countDamaged, countUnmoved, forgetAll, lookForLost, loosenSwept, unmovedFiles } from './ledger'
import { pagesOf } from './pages'

/** Each attempt moves files for up to `maxLockMs`, then admits uploads for `pauseMs`. Fewer files remain each time. */
const maxTries = 20

const pauseMs = 500

/** `damaged`: files that cannot be copied prevent the switch. */
export type SwitchOutcome = 'switched' | 'damaged'

/**
 * Makes the target the database's storage in one transaction. It locks the row that uploads hold while they put their
 * files into a cell, copies the remaining files, and gives the database the id of the target: the files of an upload
 * that finishes earlier are in the target, and an upload that finishes later is rejected by the old storage. If it
 * fails or is killed before the commit, the old storage stays in use.
 * @throws MoveError if uploads still arrive faster than files can be moved; Failure, the signal's reason
 */
export async function switchStorage(move: FileMove, ids: { source: string; target: string }): Promise<SwitchOutcome> {
  await requireAllThere(move)
  for (let tries = 1; ; tries++) {
    const outcome = await trySwitch(move, ids)
    if (outcome !== 'busy') return outcome
    if (tries === maxTries)
      throw new MoveError(
        'Uploads arrive faster than files can be moved, or another operation takes long to put files into records. Nothing was switched: run the same command later.',
      )
    await Bun.sleep(pauseMs)
  }
}

async function trySwitch(move: FileMove, ids: { source: string; target: string }): Promise<SwitchOutcome | 'busy'> {
  let late: AbortSignal | undefined
  try {
    return await move.db.transaction(async ({ query }) => {
      await query(catalogPath)
      await query(`set local lock_timeout = ${move.maxLockMs}`, [], { prepare: false })
      await query(`select pg_advisory_xact_lock(${lockKeys.storageIdentity})`)
      await query('select from rowhouse.storage for update')
      await requireUnchanged(move, query, ids)
      late = AbortSignal.timeout(move.maxLockMs)
      const signal = AbortSignal.any([move.signal, late])
      await copyFiles({ ...move, signal }, unmovedFiles(move.db, signal), false)
      if ((await countDamaged(query)) > 0 && !move.skipsDamaged) return 'damaged'
      if ((await countUnmoved(query)).files > 0) return 'busy'
      await query(becomesStorage)
      await loosenSwept(query)
      await forgetAll(query)
      return 'switched'
    })
  } catch (error) {
    move.signal.throwIfAborted()
    if (late?.aborted || sqlState(error) === '55P03') return 'busy'
    throw error
  }
}

const becomesStorage = `update rowhouse.storage set moved_from = id, id = target_id, place = target_place, claimed_at = now(),
  target_id = null, target_place = null`

/** @throws MoveError if the database, the source or the target was given another storage since the move began */
async function requireUnchanged({ source, target }: FileMove, query: Query, ids: { source: string; target: string }) {
  const row = await readStorageRow(query)
  const isSame = row?.id === ids.source && row.targetId === ids.target
  if (isSame && (await target.readId()) === ids.target && (await source.readId()) === ids.source) return
  throw new MoveError(
    `While the files were moved, the database, ${source.place} or ${target.place} was given another ${markerName}, or lost it. Nothing was switched.`,
  )
}

/**
 * A bucket may have a rule that deletes objects, and a move may take weeks: checks by name and size whether all copied
 * files are still there. Missing ones are copied again.
 */
async function requireAllThere(move: FileMove) {
  const lost = await lookForLost(move.db.query)
  for await (const page of pagesOf(move.target, move.signal)) await lost.see(page)
  if ((await lost.end()) > 0) await copyAll(move, false)
}
