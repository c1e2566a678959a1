import { mkdirSync, renameSync } from 'node:fs'
import { auditCall, auditValues, commandSource } from '../../auth/audit/audit-log'
import { BackupError } from '../../backup/errors'
import { retryMove, silenceLimits } from '../../backup/move/heartbeat'
import { removeJournal } from '../../backup/move/journal'
import { moveDatabase, openSessions, planMove } from '../../backup/move/move'
import { emptyTarget } from '../../backup/move/requirements'
import { takeMoveLock } from '../../backup/move/session'
import { describePlace, readMoveState } from '../../backup/move/state'
import { finishTarget, openTarget } from '../../backup/move/switch'
import { removeDatabaseFile, writeDatabaseFile } from '../../db/embedded/database-file'
import { startEmbedded } from '../../db/embedded/embedded'
import { hasCluster } from '../../db/embedded/exchange'
import { findPlace } from '../../db/embedded/place'
import { createScratch } from '../../db/embedded/scratch'
import { endArchive } from '../../db/embedded/wal-archive'
import { type ConnectionTarget, connectDirectly } from '../../db/pool/open'
import { createEvents } from '../../ops/log/events'
import type { Config } from '../../ops/settings/config'
import { readUri } from '../../ops/settings/connection-uri'
import { UsageError } from '../arguments'
import { openExisting } from '../bootstrap'
import { type Command, type CommandContext, CommandError, databaseSettings, type Environment } from '../command'
import { withMovedDatabase } from '../moved-database'
import { runAsServiceUser } from '../service-user'
import { finishInside } from './hand-over'
import { withInterruption } from './interruption'
import { describeMove, describeMovePlan } from './move-report'
import { createProgress } from './progress'

/** The destination of a move, as given on the command line. */
type Destination = { uri: string; target: ConnectionTarget } | 'embedded'

const interrupted =
  'Interrupted. The old database is intact and still in use. Run the command again to continue, or run rowhouse move --cancel.'
const interruptedBehind =
  'Interrupted after the switch: the old database no longer accepts changes. Run the same command again to finish the move.'

export const moveCommand: Command = {
  name: 'move',
  summary: 'Move the embedded database to a PostgreSQL of your own, or back, while the service runs.',
  description: [
    'Copies the database to the one of --to (a PostgreSQL connection URI, which ROWHOUSE_MOVE_TO may contain instead; or the word embedded), compares the two table by table, and switches: for some seconds nothing can be written.',
    'If interrupted, it leaves the old database in use; the same command continues where it stopped. After the switch the old database accepts no changes; --undo makes it usable again, without what was written to the new one.',
    'Attachments stay where they are. Exits with 0 when the database was moved, 1 when it was not, and 2 when it was called wrongly.',
  ].join(' '),
  settings: [...databaseSettings, 'schemas', 'queryTimeoutMs'],
  findsDatabase: true,
  switches: {
    'dry-run': 'Show what would be moved and what prevents it; write nothing.',
    cancel: 'Cancel a move before its switch; with --to, remove what was copied there.',
    undo: 'Use the old database again.',
    quiet: 'No progress.',
  },
  values: { to: 'Connection URI of an empty database, or embedded.' },
  run: async ({ config: given, environment, switches, values }) => {
    const own = runAsServiceUser(given, { data: 'made', environment })
    if (switches.has('undo')) return undoMove(own)
    const destination = readDestination(values, environment)
    if (switches.has('cancel')) return cancelMove(own, destination)
    if (destination === null) throw new UsageError('Usage: rowhouse move --to=postgres://user:password@host/database, or --to=embedded')
    const progress = createProgress(switches.has('quiet'))
    try {
      return await withInterruption((signal) => {
        const work: Work = { own, destination, isDry: switches.has('dry-run'), progress, signal, isSwitched: false }
        return move(work).catch((error) => {
          throw signal.aborted && work.isSwitched ? new CommandError(interruptedBehind) : error
        })
      }, interrupted)
    } finally {
      progress.end()
    }
  },
}

function readDestination(values: CommandContext['values'], environment: Environment): Destination | null {
  const name = values.has('to') ? '--to' : 'ROWHOUSE_MOVE_TO'
  const text = values.get('to') ?? environment.ROWHOUSE_MOVE_TO
  if (!text) return null
  if (text === 'embedded') return text
  try {
    return { uri: text, target: { uri: readUri(text) } }
  } catch (error) {
    throw new UsageError(`${name} ${(error as Error).message}.`)
  }
}

type Work = {
  own: Config
  destination: Destination
  isDry: boolean
  progress: ReturnType<typeof createProgress>
  signal: AbortSignal
  /** Whether the old database no longer accepts changes. */
  isSwitched: boolean
}

async function move(work: Work): Promise<number> {
  const { own, destination } = work
  const config = withMovedDatabase(own)
  if (destination === 'embedded' && !config.databaseUrl) throw new CommandError('The database is embedded already.')
  const source = await openExisting(config, createEvents())
  const from: ConnectionTarget = config.databaseDirectUrl ? { uri: config.databaseDirectUrl } : source.target
  try {
    if (destination !== 'embedded') return await moveTo(work, config, from, destination.target, (uri) => writeDatabaseFile(source, uri))
    const rehearsal = { ...work, isDry: true, progress: { ...work.progress, say: () => {} } }
    const inside = await openInside(work, (to) => moveTo(rehearsal, config, from, to, () => {}))
    let isOpen = true
    const close = async () => {
      if (isOpen) await inside.stop()
      isOpen = false
    }
    try {
      const code = await moveTo(work, config, from, inside.target, async () => {
        if (!config.isDatabaseMoved) return
        await close()
        removeDatabaseFile(source)
      })
      if (!config.isDatabaseMoved || work.isDry) return code
      await finishInside(own, (problems) => report(work.progress, problems, 'The foreign keys are checked.'))
      return code
    } finally {
      await close()
    }
  } finally {
    await source.stop()
  }
}

/**
 * The cluster of the data directory, which a service with another database does not use. A cluster that was moved away
 * stays beside it, and a dry run makes none.
 */
async function openInside(
  { own, isDry, progress }: Work,
  rehearse: (to: ConnectionTarget) => Promise<number>,
): Promise<{ target: ConnectionTarget; stop: () => Promise<void> }> {
  if (isDry && !hasCluster(findPlace(own))) return openScratch(own)
  const inside = await startEmbedded({ ...own, databaseUrl: undefined }, createEvents())
  const sql = connectDirectly(inside.target, own)
  const state = await readMoveState(sql).finally(() => sql.end({ timeout: 1 }))
  if (state?.role !== 'source' || state.stage !== 'moved') return inside
  if (isDry) {
    await inside.stop()
    return openScratch(own)
  }
  // If the plan of a move is rejected, the old database stays where --undo finds it.
  try {
    const scratch = await openScratch(own)
    await rehearse(scratch.target).finally(scratch.stop)
  } finally {
    await inside.stop()
  }
  const { clusterDir, dataDir } = findPlace(own)
  const waiting = endArchive(dataDir)
  if (waiting > 0) progress.say(`${waiting} segments of the log of the old database were not archived yet, and were discarded.`)
  renameSync(clusterDir, `${clusterDir}-moved-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`)
  return startEmbedded({ ...own, databaseUrl: undefined }, createEvents())
}

/** An empty cluster in a temporary folder. */
async function openScratch(own: Config) {
  const { dataDir } = findPlace(own)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const scratch = createScratch(dataDir)
  try {
    const { target, stop } = await startEmbedded({ ...own, dataDir: scratch.folder, databaseUrl: undefined }, createEvents())
    return { target, stop: () => stop().finally(scratch.remove) }
  } catch (error) {
    scratch.remove()
    throw error
  }
}

const moveTo = (...[work, ...rest]: Parameters<typeof tryMove>): Promise<number> =>
  retryMove(() => tryMove(work, ...rest), { mayRepeat: () => !work.signal.aborted && !work.isSwitched, say: work.progress.say })

/** @param handOver makes the service use the new database */
async function tryMove(
  work: Work,
  config: Config,
  from: ConnectionTarget,
  to: ConnectionTarget,
  handOver: (uri: string) => void | Promise<void>,
): Promise<number> {
  const { own, destination, isDry, progress, signal } = work
  const startedAt = performance.now()
  const uri = destination === 'embedded' ? '' : destination.uri
  const task = { from, to, config: own, schemas: config.databaseUrl ? servedSchemas(own) : null, signal, progress, silence: silenceLimits }
  const sessions = await openSessions(task)
  try {
    await takeMoveLock(sessions.from)
    const here = await readMoveState(sessions.from)
    if (describePlace(from) === describePlace(to)) {
      if (here?.role !== 'target') throw new CommandError('The database has already been moved there.')
      return report(progress, await finishTarget(sessions), 'The database is there, and its foreign keys are checked.')
    }
    if (here?.role === 'target') {
      if (here.stage !== 'serving') throw new CommandError('The database that is to be moved is the unfinished copy of another one.')
      await finishTarget({ to: sessions.from })
    }
    const isMoved = here?.role === 'source' && here.stage === 'moved'
    const there = isMoved ? await readMoveState(sessions.to) : null
    if (isMoved && (here.other !== describePlace(to) || (there !== null && there.id !== here.id)))
      throw new CommandError(`The database has already been moved to ${here.other}.`)
    if (!isMoved) {
      const plan = await planMove(task, sessions)
      progress.say(describeMovePlan(task, plan))
      if (isDry) return 0
      const { rows, switchMs, comparedKeys } = await moveDatabase(task, sessions, plan)
      const seconds = (performance.now() - startedAt) / 1000
      progress.say(describeMove({ place: describePlace(to), tables: plan.tables.length, rows, switchMs, comparedKeys, seconds }))
    }
    if (isDry) return 0
    work.isSwitched = true
    // An earlier run may have completed everything up to this step.
    const isOpen = isMoved && there === null
    if (!isOpen) await openTarget(sessions)
    if (!isOpen) await sessions.to.unsafe(`select ${auditCall(1)}`, auditValues({ kind: 'database_moved', result: 'ok', ...commandSource }))
    if (destination === 'embedded' && config.isDatabaseMoved) {
      await sessions.end()
      await handOver(uri)
      return 0
    }
    await handOver(uri)
    if (config.databaseUrl && !config.isDatabaseMoved) progress.say(restartHint(destination))
    return isOpen ? 0 : report(progress, await finishTarget(sessions), 'The foreign keys are checked.')
  } finally {
    await sessions.end()
  }
}

const restartHint = (destination: Destination) =>
  destination === 'embedded'
    ? 'Now stop the service, take DATABASE_URL (and DATABASE_DIRECT_URL) out of its settings, and start it. Until then it answers reads and refuses writes with 503.'
    : 'Now stop the service, set DATABASE_URL to the new database (and remove DATABASE_DIRECT_URL), and start it. Until then it answers reads and refuses writes with 503.'

function report(progress: Work['progress'], problems: string[], sentence: string): number {
  for (const problem of problems)
    progress.say(`A foreign key was not satisfied in the old database either, and stays unchecked: ${problem}`)
  if (problems.length === 0) progress.say(sentence)
  return 0
}

/** The schemas that a service with these settings uses in a shared database. */
const servedSchemas = ({ schemas }: Config): string[] => [...new Set(['rowhouse', 'data', ...schemas])]

async function cancelMove(own: Config, destination: Destination | null): Promise<number> {
  const config = withMovedDatabase(own)
  const source = await openExisting(config, createEvents())
  const sql = connectDirectly(config.databaseDirectUrl ? { uri: config.databaseDirectUrl } : source.target, own)
  try {
    await takeMoveLock(sql)
    const state = await readMoveState(sql)
    if (state?.role === 'source' && state.stage === 'moved')
      throw new CommandError(`The database was moved to ${state.other}, which is in use. rowhouse move --undo goes back to this one.`)
    if (state?.role === 'source') await removeJournal(sql, new AbortController().signal)
    const removed = destination === null ? false : await removeCopy(own, destination, state?.id)
    console.log(state || removed ? 'The move is cancelled.' : 'No move is under way.')
    if (state && !removed) console.log(`What was copied to ${state.other} is still there: rowhouse move --cancel --to=… removes it.`)
    return 0
  } finally {
    await sql.end({ timeout: 1 })
    await source.stop()
  }
}

async function removeCopy(own: Config, destination: Destination, id: string | undefined): Promise<boolean> {
  const inside = destination === 'embedded' ? await startEmbedded({ ...own, databaseUrl: undefined }, createEvents()) : null
  const to = connectDirectly(destination === 'embedded' ? inside!.target : destination.target, own)
  try {
    const there = await readMoveState(to)
    if (there === null) return false
    if (there.role !== 'target' || there.stage === 'serving' || (id !== undefined && id !== there.id))
      throw new BackupError('That database is not the unfinished copy of this one. Nothing was removed there.')
    await emptyTarget(to)
    return true
  } finally {
    await to.end({ timeout: 1 })
    await inside?.stop()
  }
}

/** The old database is that of DATABASE_URL if it is set, or else the embedded one. */
async function undoMove(own: Config): Promise<number> {
  const opened = await openExisting(own, createEvents())
  const sql = connectDirectly(own.databaseDirectUrl ? { uri: own.databaseDirectUrl } : opened.target, own)
  try {
    await takeMoveLock(sql)
    const state = await readMoveState(sql)
    if (state?.role !== 'source' || state.stage !== 'moved') throw new CommandError('This database was not moved.')
    await removeJournal(sql, new AbortController().signal)
    console.log(`This database is in use again. What was written to ${state.other} since it was moved there is not in it.`)
  } finally {
    await sql.end({ timeout: 1 })
    await opened.stop()
  }
  if (!own.databaseUrl) removeDatabaseFile(opened)
  return 0
}
