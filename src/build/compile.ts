import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundle'
import { pgDumpPlugin } from './pg-dump'
import { type BuildTarget, sourceRoot } from './targets'

/**
 * An executable must not run files of the folder that it is started from. Beside imports, only package.json is read:
 * without it plugins find few of the packages that npm installs.
 */
const autoload = { autoloadDotenv: false, autoloadBunfig: false, autoloadTsconfig: false, autoloadPackageJson: true }

/**
 * If a package uses its own folder, Bun inserts that of the build: the same sources in another folder would make
 * another executable, and it would look for files there. In the executable it is this one.
 */
const folders = { __dirname: '"/$bunfs/root"', __filename: '"/$bunfs/root/rowhouse"' }

type Executable = { tree: string; target: BuildTarget; outfile: string; commit: string; bun?: string }

/**
 * @param bun the Bun to embed; without it the running one, or for another platform the one that Bun fetches
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
