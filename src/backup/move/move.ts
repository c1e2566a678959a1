import type { Sql, TransactionSql } from 'postgres'
import { connectionProblem } from '../../db/errors'
import { connectDirectly } from '../../db/pool/open'
import { runUndone } from '../../records/store/writes/transaction'
import { applyDefinitions, readPart } from '../database-copy/definitions'
import { BackupError } from '../errors'
import { type MovedDefinitions, planDefinitions, textOf, withoutJournal } from './entries'
import { readFingerprint } from './fingerprint'
import { beginJournal, findUnwatched, removeJournal, watchTable } from './journal'
import {
  emptyTarget,
  keepWhatIsThere,
  readTargetFacts,
  requireEmpty,
  requireSourceRights,
  requireUsableTarget,
  type TargetFacts,
} from './requirements'
import { catchUp, copyTable } from './rounds'
import { prepareSession, requireOwnSession } from './session'
import { createMoveState, describePlace, moveSchema, readMoveState } from './state'
import { switchOver } from './switch'
import { listMovedSchemas, listMovedTables, type MovedTable } from './tables'
import type { MovePlan, MoveSessions, MoveTask } from './task'

/** A round of at most this many rows is fast enough to be the last round, which blocks the writers. */
const smallRound = 2000
const maxRounds = 30
/** If a round has more than this fraction of the previous round's rows, further rounds would not help. */
const minShrinkage = 0.9

export async function openSessions(task: Pick<MoveTask, 'from' | 'to' | 'config' | 'signal'>): Promise<MoveSessions> {
  const { config, signal } = task
  const [from, to, pulse] = [task.from, task.to, task.to].map((place) => connectDirectly(place, config)) as [Sql, Sql, Sql]
  const close = (timeout: number) => Promise.all([from, to, pulse].map((sql) => sql.end({ timeout })))
  const cut = () => void close(0)
  const end = async () => {
    signal.removeEventListener('abort', cut)
    await close(1)
  }
  signal.addEventListener('abort', cut)
  try {
    await requireOwnSession(from, task.from, config)
    await requireOwnSession(to, task.to, config).catch((error) => {
      const problem = error instanceof BackupError ? null : connectionProblem(error, '--to')
      throw problem === null ? error : new BackupError(problem)
    })
    for (const sql of [from, to]) await prepareSession(sql)
    return { from, to, pulse, end }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Inspects both databases, and tests the definitions in the new one in a transaction that is rolled back.
 * @throws BackupError naming the obstacle
 */
export async function planMove(task: MoveTask, { from, to }: MoveSessions): Promise<MovePlan> {
  const [state, there, facts, here] = [
    await readMoveState(from),
    await readMoveState(to),
    await readTargetFacts(to),
    await readTargetFacts(from),
  ]
  requireUsableTarget(facts)
  if (there?.role === 'source')
    throw new BackupError(`${describePlace(task.to)} is being moved itself, or was: to ${there.other}. Nothing was changed.`)
  if (there && there.id !== state?.id) {
    throw new BackupError(
      `${describePlace(task.to)} has the unfinished copy of another move, from ${there.other}. Remove it with rowhouse move --cancel --to=…. Nothing was changed.`,
    )
  }
  const schemas = await listMovedSchemas(from, task.schemas)
  const tables = await listMovedTables(from, schemas)
  if (!schemas.includes('rowhouse'))
    throw new BackupError(`${describePlace(task.from)} is not a database of Rowhouse. Nothing was changed.`)
  await requireSourceRights(from, tables)
  const { dump, fingerprint, parts } = await readStill(task, from, schemas, facts)
  const isSame = there?.stage === 'copying' && state?.stage === 'copying' && (await readDefinitionsOf(from)) === dump
  const isBegun = isSame && ((await readSteps(to)).size === 0 || (await findUnwatched(from, tables)).length === 0)
  // The objects of an earlier run are recreated unless this run continues it.
  const known = there && !isBegun ? facts.schemas.filter((name) => name === 'public') : facts.schemas
  const definitions = planDefinitions(parts.beforeRows, parts.behindRows, { ...facts, schemas: known, owner: here.role })
  if (!there) await requireEmpty(to, facts)
  if (!there)
    await runUndone(
      (work) => to.begin(work),
      (tx: TransactionSql) => makeDefinitions(tx, definitions),
    )
  return { state, isBegun, schemas, tables, definitions, dump, fingerprint, facts, sourceCollation: here.collation }
}

/** Reads the definitions, and reads them again if they change in the meantime. */
async function readStill(
  { from: target, config, schemas: wanted, signal }: MoveTask,
  from: Sql,
  schemas: readonly string[],
  facts: TargetFacts,
) {
  const names = schemas.map((name) => `--schema="${name.replaceAll('"', '""')}"`)
  const part =
    wanted === null
      ? [`--exclude-schema=${moveSchema}`]
      : [...names, ...(await extensionsFor(from, facts)).map((name) => `--extension="${name}"`)]
  for (let tries = 1; ; tries++) {
    const fingerprint = await readFingerprint(from, schemas)
    const parts = await readPart({ target, config }, [...part, ...leftOut], signal)
    const dump = withoutJournal(parts.beforeRows + parts.behindRows)
    if ((await readFingerprint(from, schemas)) === fingerprint) return { dump, fingerprint, parts }
    if (tries === 5)
      throw new BackupError('The definitions keep changing. Nothing was changed; run the command again when nobody changes tables.')
  }
}

const leftOut = [
  '--no-owner',
  '--no-tablespaces',
  '--no-publications',
  '--no-subscriptions',
  '--no-security-labels',
  '--no-table-access-method',
]

/** With --schema, pg_dump omits the extensions that the schema's columns need. */
async function extensionsFor(from: Sql, { extensions }: TargetFacts): Promise<string[]> {
  const rows = await from<{ name: string }[]>`select extname as name from pg_extension where extname <> 'plpgsql'`
  return rows.map(({ name }) => name).filter((name) => extensions.includes(name))
}

const readDefinitionsOf = async (from: Pick<Sql, 'unsafe'>): Promise<string | null> =>
  (await from.unsafe<{ definitions: string | null }[]>(`select definitions from ${moveSchema}.state`))[0]?.definitions ?? null

const makeDefinitions = (tx: Pick<Sql, 'unsafe'>, { beforeRows }: MovedDefinitions) =>
  applyDefinitions(tx, beforeRows.map(textOf).join('\n'), 'The new database')

/** Copies everything while the old database is in use, compares the copy, and switches. */
export async function moveDatabase(
  task: MoveTask,
  sessions: MoveSessions,
  plan: MovePlan,
): Promise<{ rows: number; switchMs: number; comparedKeys: number }> {
  const { from, to } = sessions
  const { progress, signal } = task
  if (!plan.isBegun) await beginAnew(task, sessions, plan)
  const round = { tables: plan.tables, signal, sent: progress.add }
  progress.begin('Watching the tables', null)
  const inherited = plan.tables.filter(({ isInherited }) => isInherited).map(({ name }) => name)
  for (const table of plan.tables) await watchTable(from, table, inherited, signal)
  const done = await readSteps(to)
  const once = async (step: string, work: (tx: TransactionSql) => Promise<unknown>) => {
    signal.throwIfAborted()
    if (done.has(step)) return
    await to.begin(async (tx) => {
      await work(tx)
      await tx.unsafe(`insert into ${moveSchema}.steps values ($1)`, [step])
    })
  }
  progress.begin('Making the tables', null)
  await once('definitions', (tx) => makeDefinitions(tx, plan.definitions))
  let rows = 0
  const bytes = plan.tables.reduce((sum, table) => sum + table.bytes, 0)
  progress.begin('Copying the rows', bytes)
  for (const table of plan.tables) {
    await once(`rows of ${table.name}`, (tx) =>
      from.begin('isolation level repeatable read read only', async (source) => {
        rows += await copyTable(table, source, tx, round)
      }),
    )
  }
  progress.begin('Catching up', null)
  await catchUp(from, to, round, { remember: done.has('compared') })
  progress.begin('Building indexes, checking constraints', null)
  await to.unsafe(`set maintenance_work_mem = '256MB'`)
  for (const entry of plan.definitions.behindRows) await once(entry.label, (tx) => applyDefinitions(tx, textOf(entry), 'The new database'))
  for (const { name } of plan.tables) await to.unsafe(`analyze ${name}`)
  if (!done.has('compared')) {
    await untilSmall(sessions, round, false)
    progress.begin('Comparing the rows', bytes)
    const compare = (table: MovedTable) => progress.add(table.bytes)
    // TRUNCATE also affects earlier snapshots, so a difference counts only if a second comparison confirms it.
    await catchUp(from, to, round, { compare }).catch((error) => {
      if (!(error instanceof BackupError)) throw error
      return catchUp(from, to, round, { compare })
    })
    await once('compared', async () => {})
  }
  progress.begin('Catching up', null)
  await untilSmall(sessions, round, true)
  return { rows, ...(await switchOver(task, sessions, plan)) }
}

async function untilSmall({ from, to }: MoveSessions, round: Parameters<typeof catchUp>[2], remember: boolean) {
  let before = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < maxRounds; tries++) {
    round.signal.throwIfAborted()
    const { rows } = await catchUp(from, to, round, { remember })
    if (rows <= smallRound || rows > before * minShrinkage) return
    before = rows
  }
}

/** The steps that earlier runs have completed. */
const readSteps = async (to: Sql) =>
  new Set(
    (await to.unsafe<{ step: string }[]>(`select step from ${moveSchema}.steps where not starts_with(step, 'kept ')`)).map(
      ({ step }) => step,
    ),
  )

/**
 * The state of the new database is deleted first and written last, so a command that is killed in between starts over.
 */
async function beginAnew({ from: source, to: target, progress, signal }: MoveTask, { from, to }: MoveSessions, plan: MovePlan) {
  const id = crypto.randomUUID()
  if (plan.state) {
    progress.say(
      'The definitions or the triggers of the move have changed since the last run, or the new database is another one: the copy starts over.',
    )
    if (await readMoveState(to)) await emptyTarget(to)
    await removeJournal(from, signal)
  }
  await beginJournal(from, { id, other: describePlace(target) })
  // Done in one transaction before anything else exists: a partial copy must not look complete.
  await to.begin(async (tx) => {
    await createMoveState(tx, { id, role: 'target', other: describePlace(source) })
    await keepWhatIsThere(tx)
  })
  await from`update ${from(moveSchema)}.state set definitions = ${plan.dump}`
}
