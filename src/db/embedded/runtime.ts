import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import manifest from '../../../.build/postgres.json' with { type: 'json' }
import archive from '../../../.build/postgres.tar.zst' with { type: 'file' }
import { syncFilesystem } from './libc'

/** The archive's description, written by `build/postgres.ts`. `version` names the release and the archive's hash. */
export type Manifest = { version: string; major: number; links: { source: string; target: string }[] }

export const postgresMajor = (manifest as Manifest).major

/** Written last into an unpacked PostgreSQL: without it a part may be missing. */
const marker = 'complete'

/** The suffix of a folder that is being unpacked or removed. */
const incomplete = '.unpacking'

/** Whether this executable's PostgreSQL is completely unpacked. */
export const isUnpacked = (runtimeDir: string): boolean => existsSync(join(runtimeDir, manifest.version, marker))

/** The unpacked PostgreSQL of a major version, the last by name if there are several; null if there is none. */
export function findRuntime(runtimeDir: string, major: number): string | null {
  const found = readdirSync(runtimeDir)
    .filter((name) => majorOf(name) === major && existsSync(join(runtimeDir, name, 'bin/postgres')))
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1)
  return found === undefined ? null : join(runtimeDir, found)
}

/** The version of a folder `postgres-<release>-<hash>`; null for an incomplete one. */
const majorOf = (name: string): number | null => Number(/^postgres-(\d+)(?!.*\.unpacking$)/.exec(name)?.[1] ?? 0) || null

/** @param kept the older major versions whose clusters are in the data directory */
export function removeOtherRuntimes(runtimeDir: string, kept: readonly number[]): void {
  const isKept = (name: string) => {
    const major = majorOf(name)
    return name === manifest.version || (major !== null && major !== postgresMajor && kept.includes(major))
  }
  for (const name of readdirSync(runtimeDir)) if (!isKept(name)) removeRuntime(runtimeDir, name)
}

/** If it is killed midway, it leaves nothing that the release that unpacked it would consider complete. */
function removeRuntime(runtimeDir: string, name: string) {
  const removed = join(runtimeDir, name.endsWith(incomplete) ? name : name + incomplete)
  if (!name.endsWith(incomplete)) {
    rmSync(removed, { recursive: true, force: true })
    renameSync(join(runtimeDir, name), removed)
    // Otherwise a power failure could keep the removal on disk and lose the new name.
    syncFilesystem(runtimeDir)
  }
  rmSync(removed, { recursive: true, force: true })
}

/**
 * Unpacks PostgreSQL once per version. The folder gets its name only when it is complete, so a start that was
 * interrupted (or ran out of disk) leaves nothing that looks usable.
 * @returns the folder that holds `bin/`, `lib/` and `share/`
 */
export async function unpackRuntime(runtimeDir: string, progress: (message: string) => void): Promise<string> {
  const folder = join(runtimeDir, manifest.version)
  if (isUnpacked(runtimeDir)) return folder
  progress('Unpacking PostgreSQL')
  if (existsSync(folder)) removeRuntime(runtimeDir, manifest.version)
  const unfinished = folder + incomplete
  rmSync(unfinished, { recursive: true, force: true })
  try {
    await unpack(unfinished)
    syncFilesystem(unfinished)
    writeFileSync(join(unfinished, marker), '')
    syncFilesystem(unfinished)
    renameSync(unfinished, folder)
  } catch (error) {
    const isFull = hasNoRoom(runtimeDir)
    rmSync(unfinished, { recursive: true, force: true })
    throw isFull ? new Error('No space left on device', { cause: error }) : error
  }
  return folder
}

/** Bun.Archive says "ReadError" when it cannot write. */
function hasNoRoom(folder: string): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  return bavail * bsize < 2 ** 20 || (files > 0 && ffree === 0)
}

async function unpack(folder: string) {
  mkdirSync(folder, { mode: 0o755 })
  const tar = Bun.zstdDecompressSync(new Uint8Array(await Bun.file(archive).arrayBuffer()))
  await new Bun.Archive(tar).extract(folder)
  for (const name of readdirSync(join(folder, 'bin'))) chmodSync(join(folder, 'bin', name), 0o755)
  for (const { source, target } of manifest.links) {
    // Relative, so that the data directory can be moved.
    if (dirname(source) === dirname(target)) symlinkSync(basename(source), join(folder, target))
  }
}
