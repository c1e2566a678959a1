import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundle'
import { pgDumpPlugin } from './pg-dump'
import { type BuildTarget, sourceRoot } from './targets'

/**
 * An executable must not run files of the folder that it is started from. Besides imports, it reads only package.json,
 * without which plugins could not find most packages that npm installs.
 */
const autoload = { autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: true }

/**
 * If a package uses the path of its own folder, Bun inserts the one at build time. The same sources in another folder
 * would then give a different executable, which would look for files there. In the executable, this path replaces it.
 */
const folders = { __dirname: '"/$bunfs/root"', __filename: '"/$bunfs/root/rowhouse"' }

type Executable = { tree: string; target: BuildTarget; outfile: string; commit: string; bun?: string }

/**
 * @param bun the Bun to embed; by default the running one, or for another platform the one that Bun downloads
 * @returns the files that it contains
 */
export async function compile({ tree, target, outfile, commit, bun }: Executable): Promise<string[]> {
  mkdirSync(dirname(outfile), { recursive: true })
  const { sources } = await bundle(tree, {
    entrypoints: [join(tree, 'src/main.ts')],
    compile: { target: `bun-${target}`, outfile, ...(bun ? { executablePath: bun } : {}), ...autoload },
    minify: { whitespace: true, syntax: true },
    // Parsed at build time: every start of the executable is 30 ms faster, and the first start runs it four times.
    bytecode: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"', ROWHOUSE_COMMIT: JSON.stringify(commit), ...folders },
    plugins: [pgDumpPlugin],
  })
  return sources
}

/** A container's build has no history; ROWHOUSE_COMMIT gives the commit there. */
export async function currentCommit(): Promise<string> {
  if (process.env.ROWHOUSE_COMMIT) return process.env.ROWHOUSE_COMMIT
  return (await git('rev-parse', '--short=12', 'HEAD')) ?? 'unknown'
}

/** @returns the output of git, or null without git or a history */
export async function git(...args: string[]): Promise<string | null> {
  if (Bun.which('git') === null) return null
  const child = Bun.spawn(['git', ...args], { cwd: sourceRoot, stderr: 'ignore' })
  const text = (await new Response(child.stdout).text()).trim()
  return (await child.exited) === 0 ? text : null
}
