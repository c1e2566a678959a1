import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { compile } from '../compile'
import { packPostgres } from '../postgres'
import { packTar, type TarFile } from '../tar'
import { type BuildTarget, here, sourceRoot } from '../targets'
import { installBun, installTree, TargetUnavailable } from '../tree'
import { packTypesetting } from '../typesetting'
import { packWeb } from '../web'
import { contentsOf } from './contents'
import { licenceTexts } from './licences'
import { requireMachine, requireMachines } from './machine'
import { billOfMaterials } from './sbom'
import { hasValidSignature } from './signature'

export type Release = { version: string; commit: string; committedAt: Date }

/** The folder in which a release is built, and the cache of fetched packages. */
type Workshop = { folder: string; cache: string }

export type ReleaseFile = { name: string; bytes: Uint8Array }

/**
 * Builds one target: the archive with the executable, and the list of its contents. Everything is downloaded again, as
 * the lockfiles specify.
 */
export async function buildProduct(release: Release, target: BuildTarget, { folder, cache }: Workshop): Promise<ReleaseFile[]> {
  const tree = join(folder, target)
  rmSync(tree, { recursive: true, force: true })
  const bunFolder = join(tree, 'bun')
  await installTree(target, tree, cache)
  const bun = await installBun(target, bunFolder, cache)
  requireMachine(join(bun, 'bin/bun'), target)
  requireMachines(tree, target)
  await Promise.all([packPostgres(tree, target), packTypesetting(tree), packWeb(tree)])
  const executable = join(tree, 'rowhouse')
  const files = await compile({ tree, target, outfile: executable, commit: release.commit, bun: join(bun, 'bin/bun') })
  requireMachine(executable, target)
  if (target === here) await requireVersion(executable, release)
  const parts = contentsOf({ tree, target, bun, lockOfBun: join(bunFolder, 'bun.lock'), files })
  const bytes = readFileSync(executable)
  if (target.startsWith('darwin') && !hasValidSignature(bytes))
    throw new TargetUnavailable(`Bun ${Bun.version} leaves it with a signature that is not valid. Build it on a Mac, and sign it there.`)
  const name = `rowhouse-${release.version}-${target}`
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const sbom = Buffer.from(billOfMaterials({ ...release, target, sha256 }, parts))
  const beside = besideExecutable(target, await licenceTexts(parts))
  const archive = await packArchive(name, [{ name: 'rowhouse', bytes, mode: 0o755 }, ...beside], release.committedAt)
  return [
    { name: `${name}.tar.gz`, bytes: archive },
    { name: `${name}.cdx.json`, bytes: sbom },
  ]
}

function besideExecutable(target: BuildTarget, licences: string): TarFile[] {
  const files = [
    { name: 'LICENSE', bytes: readFileSync(join(sourceRoot, 'LICENSE')) },
    { name: 'THIRD-PARTY-LICENSES.txt', bytes: Buffer.from(licences) },
  ]
  const unit = { name: 'rowhouse.service', bytes: readFileSync(join(sourceRoot, 'docs/rowhouse.service')) }
  return target.startsWith('linux') ? [...files, unit] : files
}

/** All files in one folder with the archive's name. */
export async function packArchive(folder: string, files: TarFile[], mtime: Date): Promise<Uint8Array> {
  const tar = await packTar(
    files.map((file) => ({ ...file, name: `${folder}/${file.name}` })),
    mtime,
  )
  const archive = gzipSync(tar, { level: 9 })
  // The header names the operating system that compressed the file; "unknown" keeps it out of the result.
  archive[9] = 255
  return archive
}

/** Requires that the executable runs on this machine and reports the right version. */
async function requireVersion(executable: string, { version, commit }: Release) {
  const child = Bun.spawn([executable, 'version'], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit', env: {} })
  const answer = (await new Response(child.stdout).text()).trim()
  if (answer !== `rowhouse ${version} (${commit})`) throw new Error(`The executable says "${answer}" and not version ${version}.`)
}
