import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { git } from './compile'
import { parseSums, sumsOf } from './release/checksums'
import { buildProduct, type Release, type ReleaseFile } from './release/product'
import { type BuildTarget, sourceRoot, targets, toTarget } from './targets'
import { TargetUnavailable } from './tree'

const usage = `Usage: bun run release [--target ${targets.join('|')}]… [--outdir dist/release]
       bun run release --check SHA256SUMS

Builds the executables of all platforms from the commit that is checked out, with their checksums and what is in them.
--check builds those that a file of checksums names, and says whether they are the same, byte for byte.`

async function main() {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      outdir: { type: 'string', default: join(sourceRoot, 'dist/release') },
      check: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return console.log(usage)
  const release = await currentRelease()
  if (values.check) return compare(release, parseSums(readFileSync(values.check, 'utf8')))
  const named = values.target?.map(toTarget)
  const outdir = resolve(values.outdir)
  const sumsPath = join(outdir, 'SHA256SUMS')
  mkdirSync(outdir, { recursive: true })
  // Written last: files without it are not a release.
  rmSync(sumsPath, { force: true })
  const files = await build(release, named ?? [...targets], named !== undefined, (file) =>
    writeFileSync(join(outdir, file.name), file.bytes),
  )
  writeFileSync(sumsPath, sumsOf(files))
  process.stdout.write(sumsOf(files))
}

/** A release is built from a commit, so uncommitted files never get into it. */
async function currentRelease(): Promise<Release> {
  const wanted = manifest.packageManager.replace('bun@', '')
  if (Bun.version !== wanted)
    throw new Error(`A release is built by Bun ${wanted}, and this is ${Bun.version}: npx -y bun@${wanted} run release`)
  const [commit, time, changes] = [
    await git('rev-parse', '--short=12', 'HEAD'),
    await git('log', '-1', '--format=%ct'),
    await git('status', '--porcelain'),
  ]
  if (commit === null || time === null || changes === null)
    throw new Error('A release is built from a commit, and this folder has no history.')
  if (changes !== '') throw new Error(`A release is built from a commit, and these files differ from it:\n${changes}`)
  return { version: manifest.version, commit, committedAt: new Date(Number(time) * 1000) }
}

type Built = Omit<ReleaseFile, 'bytes'> & { sha256: string }

/** @param isNamed whether each of them is required */
async function build(release: Release, wanted: BuildTarget[], isNamed: boolean, take: (file: ReleaseFile) => void): Promise<Built[]> {
  const folder = join(sourceRoot, '.build/release')
  rmSync(folder, { recursive: true, force: true })
  const built: Built[] = []
  const missing: string[] = []
  for (const target of wanted) {
    try {
      for (const file of await buildProduct(release, target, { folder, cache: join(folder, 'cache') })) {
        take(file)
        built.push({ name: file.name, sha256: new Bun.CryptoHasher('sha256').update(file.bytes).digest('hex') })
      }
    } catch (error) {
      if (isNamed || !(error instanceof TargetUnavailable)) throw error
      missing.push(`There is no executable for ${target}: ${error.message}`)
    }
    // The source tree of a platform takes 600 MB.
    rmSync(join(folder, target), { recursive: true, force: true })
  }
  for (const sentence of missing) console.error(sentence)
  if (built.length === 0) throw new Error('No executable could be built.')
  rmSync(folder, { recursive: true, force: true })
  return built
}

/** Builds the files that the checksums list, keeps none, and exits with 1 if one differs. */
async function compare(release: Release, expected: Map<string, string>) {
  const wanted = targets.filter((target) => [...expected.keys()].some((name) => name.includes(`-${target}.`)))
  const built = new Map((await build(release, wanted, true, () => {})).map(({ name, sha256 }) => [name, sha256]))
  for (const name of new Set([...expected.keys(), ...built.keys()])) {
    const isSame = expected.get(name) === built.get(name)
    console.log(`${name}: ${isSame ? 'the same' : `differs, ${built.get(name) ?? 'not built'} here`}`)
    if (!isSame) process.exitCode = 1
  }
}

await main()
