import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyFolder, newFolder, startService } from './executable'

/** A data directory of a stopped service, and the facts about it that its creator needs (tokens, ids). */
type Prepared<Notes> = { dataDir: string; notes: Notes }

/** Makes a state of the data directory with the running executable. */
export type Maker<Notes> = { name: string; from?: Maker<unknown>; make: (service: { url: string; dataDir: string }) => Promise<Notes> }

/** A service that was started once but not set up. `startService` copies it by its name. */
export const unclaimed: Maker<null> = { name: 'unclaimed', make: async () => null }

const made = new Map<string, Promise<Prepared<unknown>>>()

/**
 * A copy of a prepared data directory: to the service, a copy is a directory that was moved. It takes a tenth of the
 * time of a first start.
 */
export async function copyPrepared<Notes>(maker: Maker<Notes>): Promise<Prepared<Notes>> {
  const { dataDir, notes } = (await prepare(maker)) as Prepared<Notes>
  const copy = join(newFolder(), 'data')
  copyFolder(dataDir, copy)
  return { dataDir: copy, notes }
}

/** Created once: for the whole run in the folder that TEST_PREPARED names (`test/run.ts`), else for this process. */
export function prepare(maker: Maker<unknown>): Promise<Prepared<unknown>> {
  const known = made.get(maker.name) ?? find(maker) ?? run(maker)
  made.set(maker.name, known)
  return known
}

const pathsOf = ({ name }: Maker<unknown>) => {
  const folder = process.env.TEST_PREPARED
  return folder ? { dataDir: join(folder, name), notes: join(folder, `${name}.json`) } : null
}

function find(maker: Maker<unknown>): Promise<Prepared<unknown>> | null {
  const paths = pathsOf(maker)
  if (!paths || !existsSync(paths.notes)) return null
  return Promise.resolve({ dataDir: paths.dataDir, notes: JSON.parse(readFileSync(paths.notes, 'utf8')) })
}

async function run(maker: Maker<unknown>): Promise<Prepared<unknown>> {
  const before = maker.from ? await copyPrepared(maker.from) : { dataDir: join(newFolder(), 'data') }
  const { dataDir } = before
  let notes: unknown
  {
    await using service = await startService({ dataDir })
    notes = await maker.make(service)
  }
  const paths = pathsOf(maker)
  if (!paths) return { dataDir, notes }
  copyFolder(dataDir, paths.dataDir)
  // Written last and atomically: when this file exists, other processes consider the directory complete.
  writeFileSync(`${paths.notes}.new`, JSON.stringify(notes))
  renameSync(`${paths.notes}.new`, paths.notes)
  return { dataDir: paths.dataDir, notes }
}
