import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = resolve(import.meta.dir, '..')
const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }

/** They import everything, so that to reach a file by way of them says nothing. */
const compositionRoots = /^src\/(app|main|deps)\.ts$|^src\/commands\/|^test\/support\/(app|executable|ui|instances|presuming)\.ts$/

/** What differs from the last commit; in a clean tree, what the last commit has changed. */
export async function changedFiles(): Promise<string[]> {
  const untracked = await git('ls-files', '--others', '--exclude-standard')
  const edited = await git('diff', '--name-only', 'HEAD')
  const changed = [...edited, ...untracked]
  return changed.length > 0 ? changed : git('diff', '--name-only', 'HEAD~1', 'HEAD')
}

async function git(...args: string[]): Promise<string[]> {
  const child = Bun.spawn(['git', ...args], { cwd: root, stdout: 'pipe', stderr: 'inherit' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`git ${args.join(' ')} failed.`)
  return text.split('\n').filter(Boolean)
}

/**
 * The test files that a change can reach: those that import it without passing a composition root, those of the folder
 * of the same name, and those that name the document. It is a choice for quick answers; the whole gate has the last
 * word.
 */
export function testsFor(changed: string[]): string[] {
  const tests = [...new Bun.Glob('test/**/*.test.ts').scanSync({ cwd: root })].filter((path) => !path.startsWith('test/drills/'))
  const folders = changed.flatMap(foldersOf)
  const documents = changed.filter((path) => path.startsWith('docs/') || path === 'README.md').map((path) => path.split('/').at(-1)!)
  const isWanted = (test: string) =>
    changed.includes(test) ||
    folders.some((folder) => test.startsWith(folder)) ||
    (documents.length > 0 && documents.some((name) => readFileSync(join(root, test), 'utf8').includes(name))) ||
    [...importsOf(test)].some((path) => changed.includes(path))
  return ['test/architecture.test.ts', 'test/docs.test.ts', ...tests.filter(isWanted)].filter((each, at, all) => all.indexOf(each) === at)
}

/**
 * `src/csv/import/x.ts` has its tests in `test/csv/import/`, or else in `test/csv/`; a page `grid/` in
 * `test/web/grid/`.
 */
function foldersOf(path: string): string[] {
  const page = /^src\/web\/browser\/(?:pages\/)?([\w-]+)/.exec(path)?.[1]
  if (page) return [`test/web/${page}`]
  if (path.startsWith('src/build/')) return ['test/build/', 'test/executable/command-line', 'test/executable/main-job']
  if (/^src\/(commands|db\/embedded)\//.test(path)) return ['test/executable/command-line', 'test/executable/main-job']
  if (path.startsWith('plugins/')) return ['test/plugins/', 'test/executable/plugin']
  if (path.startsWith('migrations/')) return ['test/db/']
  if (!path.startsWith('src/')) return []
  for (let folder = dirname(path).replace(/^src/, 'test'); folder !== 'test' && folder !== '.'; folder = dirname(folder))
    if (existsSync(join(root, folder))) return [`${folder}/`]
  return []
}

const known = new Map<string, string[]>()

/** Everything that a file imports, by way of others too. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  for (const path of directImportsOf(file)) {
    if (seen.has(path)) continue
    seen.add(path)
    if (!compositionRoots.test(path)) importsOf(path, seen)
  }
  return seen
}

function directImportsOf(file: string): string[] {
  const found = known.get(file)
  if (found) return found
  const absolute = join(root, file)
  const kind = /\.(tsx?)$/.exec(file)?.[1] as 'ts' | 'tsx' | undefined
  const targets = kind && existsSync(absolute) ? transpilers[kind].scanImports(readFileSync(absolute, 'utf8')).map(({ path }) => path) : []
  const paths = targets.filter((path) => path.startsWith('.')).map((path) => relative(root, locate(resolve(dirname(absolute), path))))
  known.set(file, paths)
  return paths
}

const locate = (path: string): string =>
  [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')].find((each) => /\.\w+$/.test(each) && existsSync(each)) ?? path
