import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import manifest from '../../package.json' with { type: 'json' }

const pages = ['index.html', 'swagger.html']

/**
 * Bundles the browser's part into `.build/web.tar`: pages, and under `assets/` what they load, named by its content;
 * each file twice, compressed by brotli and by gzip. Done once per state of the sources.
 */
export async function packWeb(root: string) {
  const source = join(root, 'src/web/browser')
  const target = join(root, '.build')
  const stamp = join(target, 'web.stamp')
  const state = stateOf(source)
  if (existsSync(join(target, 'web.tar')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  const files = await Promise.all((await bundle(source)).map(compressed))
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'web.tar'), await new Bun.Archive(Object.fromEntries(files.flat())).bytes())
  writeFileSync(stamp, state)
}

/** What the result depends on: our files, and the versions of what takes part. */
function stateOf(source: string): string {
  const hash = createHash('sha256').update(`${Bun.version} ${manifest.dependencies['swagger-ui-dist']} ${readFileSync(import.meta.path)}`)
  for (const name of readdirSync(source).sort()) hash.update(name).update(readFileSync(join(source, name)))
  return hash.digest('hex')
}

async function bundle(source: string) {
  const result = await Bun.build({
    entrypoints: pages.map((page) => join(source, page)),
    target: 'browser',
    minify: true,
    publicPath: '/',
    naming: { entry: '[name].[ext]', chunk: 'assets/[name]-[hash].[ext]', asset: 'assets/[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: false,
  })
  if (!result.success) throw new AggregateError(result.logs, `The browser's part cannot be built:\n${result.logs.join('\n')}`)
  return result.outputs
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
