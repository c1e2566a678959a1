import { beginMove, countLeft, inspectMove } from '../../attachments/move/begin'
import { copyAll } from '../../attachments/move/copy'
import type { FileMove } from '../../attachments/move/file-move'
import { type Counted, countAll, countDamaged, countUnmoved } from '../../attachments/move/ledger'
import { withMoveLock } from '../../attachments/move/lock'
import { removeSource } from '../../attachments/move/remove'
import { switchStorage } from '../../attachments/move/switch'
import { createStorageIdentity } from '../../attachments/storage/identity'
import { openStorage, openStorageAt } from '../../attachments/storage/open'
import { megabytes } from '../../backup/disk-space'
import { connectDirectly } from '../../db/pool/open'
import type { Deps } from '../../deps'
import { Failure, sentenceOf } from '../../errors'
import type { Config } from '../../ops/settings/config'
import { UsageError } from '../arguments'
import { exitDamaged } from '../backup/backup'
import { withInterruption } from '../backup/interruption'
import { lowerPriority } from '../backup/priority'
import { createProgress, type Progress } from '../backup/progress'
import { type Command, type CommandContext, CommandError } from '../command'
import { withDeps } from '../with-deps'
import { explainedFindings, storageSettings } from './check'
import { describeStart, readPlace, requireFolderForFiles } from './place'

const goOn = 'The files copied so far stay there. Run the same command again to continue.'

export const filesMove: Command = {
  name: 'files move',
  summary: 'Move attachments to a bucket or a folder, while the service runs.',
  description: [
    'Copies every attachment from the storage of the settings to another one and reads each of them back there, while the service runs. May be interrupted and run again.',
    'With --switch the new storage is that of the database from then on: restart every instance with it. Until then an instance accepts no uploads, and reads the files from the old storage.',
    'Nothing in the old storage is removed before --remove.',
    'Exits with 0 when that succeeded, 1 when it failed or was interrupted, 2 when it was called wrongly, and 3 when files are missing or altered.',
  ].join(' '),
  settings: [...storageSettings, 'minFreeBytes'],
  switches: {
    'dry-run': 'Show how much there is to copy; write nothing.',
    switch: 'Make the new storage that of the database, when all files are in it.',
    remove: 'Remove the files from the old storage, after comparing each with the new one.',
    'skip-damaged': 'Skip files whose bytes are missing or altered in the old storage.',
    quiet: 'Print nothing unless it fails.',
  },
  values: {
    to: 'The new storage: s3://bucket/prefix/, or a folder.',
    from: 'The old storage, where it is not that of the settings.',
  },
  run: async (context) => {
    const places = readPlaces(context)
    const progress = createProgress(context.switches.has('quiet'))
    try {
      return await withInterruption((signal) => run(context, places, progress, signal), `Interrupted. ${goOn}`)
    } finally {
      progress.end()
    }
  },
}

type Places = { from: string | undefined; to: string }

/** Called before root is given up, which may change the current folder. @throws UsageError, CommandError */
function readPlaces({ values, switches, config }: CommandContext): Places {
  const [from, to] = [values.get('from'), values.get('to')]
  if (to === undefined) throw new UsageError('rowhouse files move needs the new storage: --to=s3://bucket/prefix/ or --to=FOLDER')
  if (['dry-run', 'switch', 'remove'].filter((name) => switches.has(name)).length > 1)
    throw new UsageError('--dry-run, --switch and --remove are steps of their own. After --switch start the service with the new storage.')
  return { from: from === undefined ? undefined : readPlace('from', from, config), to: readPlace('to', to, config) }
}

async function run(context: CommandContext, { from, to }: Places, progress: Progress, interrupted: AbortSignal): Promise<number> {
  lowerPriority()
  return withDeps(context, async (deps, { target: database }) => {
    const { config, db, events } = deps
    const problems = collectProblems(deps)
    requireFolderForFiles(to, config.dataDir)
    const move: Omit<FileMove, 'signal'> = {
      db,
      source: from === undefined ? openStorage(config, events) : openStorageAt(from, config, events),
      target: openStorageAt(to, config, events),
      minFreeBytes: config.minFreeBytes,
      bytesUnderWay: { count: 0 },
      skipsDamaged: context.switches.has('skip-damaged'),
      maxLockMs: 5000,
      brought: { files: 0, bytes: 0 },
      progress,
      onFinding: ({ kind, name, about }) => progress.tell(`${kind}\t${name}\t${explainedFindings[kind]} (${about})`),
    }
    try {
      if (context.switches.has('dry-run')) return await rehearse({ ...move, signal: interrupted }, context)
      const sql = connectDirectly(config.databaseDirectUrl ? { uri: config.databaseDirectUrl } : database, config)
      return await withMoveLock(sql, (lost) => work(deps, { ...move, signal: AbortSignal.any([interrupted, lost]) }, context, progress))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new CommandError([sentenceOf(error), ...problems(), goOn].join(' '))
    }
  })
}

/**
 * Collects the responses of storages, because a failure, which is meant for API callers, does not contain them.
 * @returns the last responses
 */
function collectProblems({ events }: Deps): () => string[] {
  let last: string | undefined
  events.subscribe((event) => {
    if (event.kind === 'background_failed' && event.error instanceof Error) last = event.error.message.split('\n')[0]
  })
  return () => (last === undefined ? [] : [`(${last})`])
}

type Report = (sentence: string) => void

async function work(deps: Deps, move: FileMove, { switches }: CommandContext, progress: Progress): Promise<number> {
  const report: Report = switches.has('quiet') ? () => {} : progress.tell
  if (switches.has('remove')) return remove(move, report, progress)
  const state = await inspectMove(move)
  if (state.stage === 'switched') {
    report(`${move.target.place} is already the storage of this database.`)
    return 0
  }
  const identity = createStorageIdentity(deps.db, move.source, deps.events)
  await identity.verify()
  const left = await countLeft(move, state)
  await requireSpace(move, left)
  const targetId = await beginMove(move)
  progress.begin('Copying', left.bytes)
  await copyAll(move, state.looksForAll)
  const isDamaged = (await countDamaged(deps.db.query)) > 0 && !move.skipsDamaged
  const isSwitched =
    switches.has('switch') && !isDamaged && (await switchStorage(move, { source: identity.id()!, target: targetId })) === 'switched'
  progress.end()
  report(`${counted(move.brought)} copied to ${move.target.place} and read back there.`)
  if (isSwitched) {
    report(switched(move, deps.config))
    return 0
  }
  if (isDamaged || switches.has('switch')) return tellDamaged(move)
  report(await notSwitched(move, deps.config))
  return 0
}

const counted = ({ files, bytes }: Counted) => `${files} ${files === 1 ? 'file' : 'files'}, ${megabytes(bytes)},`

const roomAbove = (least: number, free: number | null) => (free === null ? null : Math.max(0, free - least))

/** @throws CommandError */
async function requireSpace({ target, minFreeBytes }: FileMove, { bytes }: Counted) {
  const room = roomAbove(minFreeBytes, await target.freeBytes())
  if (room !== null && room < bytes)
    throw new CommandError(
      `${target.place} has room for ${megabytes(room)} beyond ROWHOUSE_MIN_FREE_BYTES, but ${megabytes(bytes)} are to be copied there. Nothing was copied.`,
    )
}

async function rehearse(move: FileMove, { switches }: CommandContext): Promise<number> {
  const state = await inspectMove(move)
  const all = await countAll(move.db.query)
  const left = await countLeft(move, state)
  if (switches.has('quiet')) return 0
  console.log(`${counted(left)} of ${counted(all)} are to be copied from ${move.source.place} to ${move.target.place}.`)
  const room = roomAbove(move.minFreeBytes, await move.target.freeBytes())
  if (room !== null) console.log(`${megabytes(room)} are free there beyond ROWHOUSE_MIN_FREE_BYTES.`)
  return room !== null && room < left.bytes ? 1 : 0
}

function tellDamaged({ source }: FileMove): number {
  console.error(
    `rowhouse: Files are missing or altered in ${source.place}; all others were copied, and nothing was switched. Restore their bytes, remove them from their records, or skip them with --skip-damaged.`,
  )
  return exitDamaged
}

const switched = ({ source, target }: FileMove, config: Config) =>
  [
    `Switched: ${target.place} is the storage of this database from now on. Restart every instance ${describeStart(target.place, config)}.`,
    `Until then an instance accepts no uploads, and reads the files from ${source.place}, where nothing was changed. When all run with the new storage, remove the old files:`,
    `rowhouse files move --from=${source.place} --to=${target.place} --remove`,
  ].join('\n')

async function notSwitched({ db, source, target }: FileMove, config: Config): Promise<string> {
  const { files } = await countUnmoved(db.query)
  const rest = files === 0 ? 'All files are there.' : `${files} were added in the meantime.`
  return `${rest} The service continues with ${source.place}. To switch, run the same command with --switch, and restart every instance ${describeStart(target.place, config)} then.`
}

async function remove(move: FileMove, report: Report, progress: Progress): Promise<number> {
  progress.begin('Comparing', (await countAll(move.db.query)).bytes)
  const removal = await removeSource(move)
  progress.end()
  const { source, target } = move
  if (removal.outcome === 'damaged') {
    console.error(
      `rowhouse: Some files are intact neither in ${source.place} nor in ${target.place}. Nothing was removed. Restore their bytes, remove them from their records, or leave them there with --skip-damaged.`,
    )
    return exitDamaged
  }
  report(`Every file in ${source.place} was compared with ${target.place}, and ${removal.removed} were removed, with their thumbnails.`)
  if (removal.kept > 0) report(`${removal.kept} stay in ${source.place}, since they are not intact in ${target.place}.`)
  return 0
}
