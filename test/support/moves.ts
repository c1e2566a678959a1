import type { SilenceLimits } from '../../src/backup/move/heartbeat'
import { moveDatabase, openSessions, planMove } from '../../src/backup/move/move'
import { finishTarget, openTarget, type Switch } from '../../src/backup/move/switch'
import type { MovePlan, MoveTask } from '../../src/backup/move/task'
import type { ConnectionTarget } from '../../src/db/pool/open'
import { readConfig } from '../../src/ops/settings/config'

/** Even a busy machine can keep a database from responding for several seconds. */
export const patient: SilenceLimits = { databaseMs: 60_000, processMs: 60_000 }

/** Moves everything, without reporting progress. */
export const moveTaskOf = (from: ConnectionTarget, to: ConnectionTarget): MoveTask => ({
  from,
  to,
  config: readConfig({}),
  schemas: null,
  signal: new AbortController().signal,
  progress: { begin: () => {}, add: () => {}, say: () => {} },
  silence: patient,
})

type Moved = Switch & { rows: number; plan: MovePlan; problems: string[] }

/**
 * A complete move, like that of the command.
 * @param onStep is called at the beginning of each step; `end` interrupts the move
 */
export async function move(
  from: ConnectionTarget,
  to: ConnectionTarget,
  onStep: (step: string, end: () => void) => void = () => {},
  more: Partial<MoveTask> = {},
): Promise<Moved> {
  const controller = new AbortController()
  const begin = (step: string) => onStep(step, () => controller.abort(new Error('interrupted')))
  const plain = moveTaskOf(from, to)
  const task: MoveTask = { ...plain, signal: controller.signal, progress: { ...plain.progress, begin }, ...more }
  const sessions = await openSessions(task)
  try {
    const plan = await planMove(task, sessions)
    const done = await moveDatabase(task, sessions, plan)
    await openTarget(sessions)
    return { ...done, plan, problems: await finishTarget(sessions) }
  } finally {
    await sessions.end()
  }
}
