import type { Deps } from '../deps'
import { Failure, sentenceOf } from '../errors'
import { createEvents } from '../ops/log/events'
import { createDeps, type Opened, openExisting, requireMigrated } from './bootstrap'
import { type CommandContext, CommandError } from './command'
import { runAsServiceUser } from './service-user'

/**
 * Beside a running service it uses that service's database; otherwise it starts the database for the duration of the
 * work.
 * @returns the exit code of the work, if it has one
 */
export async function withDeps(
  { config: given, environment }: Pick<CommandContext, 'config' | 'environment'>,
  work: (deps: Deps, opened: Opened) => Promise<number | undefined>,
): Promise<number> {
  const config = runAsServiceUser(given, { data: 'used', environment })
  const events = createEvents()
  const opened = await openExisting(config, events)
  try {
    // A running service may be of another version than this command.
    if (!opened.isShared) await requireMigrated(opened.target, config)
    const deps = createDeps({ ...config, dataDir: opened.dataDir }, events, opened.target, () => true)
    return (await work(deps, opened).finally(() => deps.db.close())) ?? 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new CommandError(sentenceOf(error))
  } finally {
    await opened.stop()
  }
}
