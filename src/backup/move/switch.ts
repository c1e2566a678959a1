import type { TransactionSql } from 'postgres'
import { applyDefinitions } from '../database-copy/definitions'
import { copyLargeObjects } from '../database-copy/large-objects'
import { BackupError } from '../errors'
import { textOf } from './entries'
import { readFingerprint } from './fingerprint'
import { withHeartbeat } from './heartbeat'
import { findUnwatched, rejectWrites, withoutWriters } from './journal'
import { setSequences } from './requirements'
import { catchUpForGood } from './rounds'
import { describePlace, moveSchema } from './state'
import { listMovedSchemas } from './tables'
import type { MovePlan, MoveSessions, MoveTask } from './task'

/** The prefix of a step for a foreign key that remains to be checked. */
const checkStep = 'check: '

/** The time for which writers were blocked, and the number of keys that were compared meanwhile. */
export type Switch = { switchMs: number; comparedKeys: number }

/**
 * Switches to the new database: no write can occur between the copy of the last rows and the mark that the old database
 * was moved. Until the mark is committed, the old database stays in use, whatever happens; afterwards it rejects
 * changes.
 */
export async function switchOver(task: MoveTask, { from, to, pulse }: MoveSessions, plan: MovePlan): Promise<Switch> {
  const { signal, progress } = task
  const { tables, definitions } = plan
  let began = 0
  await pulse`select 1`
  progress.begin('Switching', null)
  const done = await withoutWriters(from, tables, signal, async (source, startedAt) => {
    began = startedAt
    const schemas = await listMovedSchemas(source, task.schemas)
    if ((await readFingerprint(source, schemas)) !== plan.fingerprint) {
      throw new BackupError(
        'The definitions were changed while the database was copied (a table, a column, an index, a function). Nothing was switched, and the old database is in use. Run the command again: it copies again what has changed.',
      )
    }
    const unwatched = await findUnwatched(source, tables)
    if (unwatched.length > 0) {
      throw new BackupError(
        `The triggers of the move were switched off for some time, on ${unwatched.join(', ')}. What was written there meanwhile is unknown. Nothing was switched, and the old database is in use. Run the command again: it starts the copy over.`,
      )
    }
    const copied = to.begin(async (target) => {
      const compared = await catchUpForGood(source, target, { tables, signal, sent: progress.add })
      await setSequences(source, target, schemas)
      await moveLargeObjects(task, source, target)
      await applyDefinitions(target, definitions.atSwitch.map(textOf).join('\n'), 'The new database')
      for (const check of definitions.checks) await target.unsafe(`insert into ${moveSchema}.steps values ($1)`, [checkStep + check])
      await target.unsafe(`update ${moveSchema}.state set stage = 'ready'`)
      signal.throwIfAborted()
      return compared
    })
    const comparedKeys = await withHeartbeat(source, pulse, task, copied)
    await rejectWrites(source, tables, describePlace(task.to))
    await source
      .unsafe(
        `update ${moveSchema}.state set stage = 'moved', definitions = null; delete from ${moveSchema}.queue; delete from ${moveSchema}.compared_later`,
      )
      .simple()
    return comparedKeys
  })
  return { comparedKeys: done, switchMs: performance.now() - began }
}

async function moveLargeObjects({ signal, progress }: MoveTask, source: TransactionSql, target: TransactionSql) {
  const sum = `select count(*)::text as objects, sum(hashtextextended(md5(lo_get(oid)), 0))::text as sum from pg_largeobject_metadata`
  const [before] = await source.unsafe<{ objects: string; sum: string | null }[]>(sum)
  if (before!.objects === '0') return
  await copyLargeObjects(source, target, signal, progress.add, false)
  const [after] = await target.unsafe<{ objects: string; sum: string | null }[]>(sum)
  if (before!.sum !== after!.sum) throw new BackupError('The large objects are not the same in the new database. Nothing was switched.')
}

/**
 * Allows a service to start on the new database.
 * @throws BackupError if it has lost the last rows, for example after a failover to a standby
 */
export async function openTarget({ to }: Pick<MoveSessions, 'to'>): Promise<void> {
  const opened = await to.unsafe(`update ${moveSchema}.state set stage = 'serving' where stage in ('ready', 'serving') returning stage`)
  if (opened.length > 0) return
  throw new BackupError(
    'The new database has lost what was copied at the switch. Use the old one again (rowhouse move --undo), remove the copy (rowhouse move --cancel --to=…), and start a new move.',
  )
}

/**
 * While the new database is in use, checks the foreign keys that the switch has created unchecked, and then removes the
 * schema of the move.
 * @returns a message for each foreign key that the rows violate; they violated it in the old database as well
 */
export async function finishTarget({ to }: Pick<MoveSessions, 'to'>): Promise<string[]> {
  const steps = await to.unsafe<{ step: string }[]>(`select step from ${moveSchema}.steps where starts_with(step, '${checkStep}')`)
  const problems: string[] = []
  for (const { step } of steps) {
    const statement = step.slice(checkStep.length)
    await to.unsafe(statement).catch((error: { code?: string; message: string }) => {
      if (error.code !== '23503') throw error
      problems.push(`${statement}: ${error.message}`)
    })
  }
  await to.unsafe(`drop schema ${moveSchema} cascade`)
  return problems
}
