import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** What a first visit may load, compressed by brotli: all of the UI, though a visit needs less of it. */
const mostBytes = 300_000

/**
 * Bundles the browser's part into `.build/web.tar`: pages, and under `assets/` what they load, named by its content;
 * each file twice, compressed by brotli and by gzip. Done once per state of the sources.
 */
export async function packWeb(root: string) {
  const source = join(root, 'src/web/browser')
  const target = join(root, '.build')
  const stamp = join(target, 'web.stamp')
  const state = stateOf(root, source)
  if (existsSync(join(target, 'web.tar')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  // Apart, so that neither page loads what is only for the other.
  const ui = await Promise.all((await bundle(join(source, 'index.html'))).map(compressed))
  const docs = await Promise.all((await bundle(join(source, 'swagger.html'))).map(compressed))
  checkSize(ui)
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'web.tar'), await new Bun.Archive(Object.fromEntries([...ui, ...docs].flat())).bytes())
  writeFileSync(stamp, state)
}

/** What the result depends on: our files, and the versions of what takes part. */
function stateOf(root: string, source: string): string {
  const hash = createHash('sha256').update(`${Bun.version} ${readFileSync(join(root, 'bun.lock'))} ${readFileSync(import.meta.path)}`)
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(relative(source, path)).update(readFileSync(path))
  return hash.digest('hex')
}

async function bundle(page: string) {
  const result = await Bun.build({
    entrypoints: [page],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/',
    naming: { entry: '[name].[ext]', chunk: 'assets/[name]-[hash].[ext]', asset: 'assets/[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  })
  if (!result.success) throw new AggregateError(result.logs, `The browser's part cannot be built:\n${result.logs.join('\n')}`)
  return result.outputs
}

function checkSize(files: [string, Uint8Array][][]) {
  const bytes = files.flat().reduce((sum, [name, content]) => sum + (name.endsWith('.br') ? content.length : 0), 0)
  const told = `The web UI: ${files.length} files, ${Math.round(bytes / 1000)} KB by brotli, of at most ${mostBytes / 1000} KB`
  if (bytes > mostBytes) throw new Error(`${told}. Load less, or later.`)
  console.log(told)
}

async function compressed(file: Bun.BuildArtifact): Promise<[string, Uint8Array][]> {
  const name = file.path.replace(/^\.\//, '')
  const bytes = new Uint8Array(await file.arrayBuffer())
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes), promisify(gzip)(bytes, { level: 9 })])
  return [
    [`${name}.br`, br],
    [`${name}.gz`, gz],
  ]
}
