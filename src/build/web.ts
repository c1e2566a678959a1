import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { minify } from 'terser'
import { bundle } from './bundle'
import { packTar, type TarFile } from './tar'

/** The maximum size of a first visit, compressed by brotli: the whole UI, although a visit needs less of it. */
const maxBundleBytes = 382_000

/**
 * Bundles the browser's code into `.build/web.tar`: pages, and their files under `assets/`, named after a hash of their
 * content. Each file is included twice, compressed by brotli and by gzip. `.build/web-files.json` lists all sources.
 * Done once per state of the sources.
 */
export async function packWeb(root: string) {
  const source = join(root, 'src/web/browser')
  const target = join(root, '.build')
  const stamp = join(target, 'web.stamp')
  const state = stateOf(root, source)
  if (existsSync(join(target, 'web.tar')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  // Separate, so that neither page loads the other's code.
  const app = await bundlePage(root, join(source, 'index.html'))
  const swagger = await bundlePage(root, join(source, 'swagger/swagger.html'))
  const shortened = await Promise.all(app.built.map(minified))
  const ui = await Promise.all((await restyled(shortened, root, join(source, 'styles/main.css'))).map(compressed))
  const docs = await Promise.all(swagger.built.map(compressed))
  checkSize(ui)
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'web.tar'), await packTar([...ui, ...docs].flat()))
  const sources = new Set([...app.sources, ...swagger.sources].map((path) => relative(root, path)))
  writeFileSync(join(target, 'web-files.json'), JSON.stringify([...sources].sort()))
  writeFileSync(stamp, state)
}

/** The files of the service that the browser uses at run time; they import nothing. */
export const sharedSources = [
  'csv/column-names.ts',
  'csv/line.ts',
  'csv/reader.ts',
  'forms/field-types.ts',
  'forms/service-user-id.ts',
  'tables/choice-colors.ts',
  'tables/column-types/descriptors.ts',
  'tables/notation.ts',
  'tables/units.ts',
  'time-zone.ts',
]

/** Also a folder whose files import only each other. */
export const sharedFolder = 'xlsx'

/** The inputs of the result: our files, and the versions of the packages and tools involved. */
function stateOf(root: string, source: string): string {
  const hash = createHash('sha256').update(`${Bun.version} ${readFileSync(join(root, 'bun.lock'))} ${readFileSync(import.meta.path)}`)
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(relative(source, path)).update(readFileSync(path))
  const shared = [
    ...sharedSources,
    ...readdirSync(join(root, 'src', sharedFolder))
      .sort()
      .map((name) => `${sharedFolder}/${name}`),
  ]
  for (const path of shared) hash.update(path).update(readFileSync(join(root, 'src', path)))
  return hash.digest('hex')
}

type Built = { name: string; bytes: Uint8Array }

/** Variables of Mantine's palettes. The UI defines its own green and its own colors for choices. */
const unusedPalettes = /^\s*--mantine-color-(pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange)-[\w-]+:[^;]+;$/gm

/** Variables that no page uses: those of headings, of sections within groups of buttons, and of the largest buttons. */
const unusedVariables = /^\s*--((mantine-h[1-6]|section-(height|padding-x))-[\w-]+|(button|ai)-[\w-]+-xl):[^;]+;$/gm

/**
 * Modules that other packages import although the UI uses them only in part or not at all, each with its replacement.
 */
const unusedModules: [path: RegExp, contents: string | ((source: string) => string), loader?: 'css'][] = [
  // Encrypted entries of workbooks are refused before they are read.
  [/zip\.js\/lib\/core\/streams\/aes-crypto-stream\.js$/, 'export class AESEncryptionStream {}\nexport class AESDecryptionStream {}'],
  [
    /zip\.js\/lib\/core\/streams\/zip-crypto-stream\.js$/,
    'export class ZipCryptoEncryptionStream {}\nexport class ZipCryptoDecryptionStream {}',
  ],
  // The parts of a workbook have ASCII names.
  [/zip\.js\/lib\/core\/util\/decode-cp437\.js$/, 'export const decodeCP437 = (bytes) => String.fromCharCode(...bytes)'],
  // Workbooks are read and written without web workers.
  [/zip\.js\/lib\/core\/codec-worker-web\.js$/, ''],
  [
    /styles\/(default-css-variables|Button|ActionIcon)\.css$/,
    (source) => source.replace(unusedPalettes, '').replace(unusedVariables, ''),
    'css',
  ],
  // Parts of components that no page uses.
  [
    /esm\/components\/\w+\/(MenuSub|MenuSearch|MenuContextMenu|PopoverContextMenu|ActionIconGroup(Section)?|ButtonGroupSection|Checkbox(Card|Indicator)|Combobox(Search|Header|Footer))\/\w+\.mjs$/,
    (source) =>
      source
        .match(/^export \{ (.+) \};$/m)![1]!
        .replace(/\w+/g, 'export const $& = null')
        .replaceAll(',', ';'),
  ],
  [/styles\/Checkbox(Card|Indicator)\.css$/, '', 'css'],
  // No popover has an arrow, and nobody reorders pills.
  [/esm\/utils\/Floating\/FloatingArrow\/FloatingArrow\.mjs$/, 'export const FloatingArrow = () => null'],
  [
    /esm\/components\/Combobox\/use-pills-reorder\/use-pills-reorder\.mjs$/,
    'const none = () => {}\nexport const usePillsReorder = () => ({ getPillProps: none, getListProps: none, handleInputKeyDown: none })',
  ],
]

const withoutUnusedModules: BunPlugin = {
  name: 'without unused modules',
  setup: ({ onLoad }) => {
    for (const [filter, contents, loader = 'js'] of unusedModules)
      onLoad({ filter }, ({ path }) => ({
        contents: typeof contents === 'string' ? contents : contents(readFileSync(path, 'utf8')),
        loader,
      }))
  },
}

/** @returns the page and every file that it loads, at once or on demand; and their sources */
async function bundlePage(root: string, page: string): Promise<{ built: Built[]; sources: string[] }> {
  const { outputs, sources } = await bundle(root, {
    entrypoints: [page],
    target: 'browser',
    minify: true,
    splitting: true,
    publicPath: '/',
    naming: { entry: '[name].[ext]', chunk: 'assets/[name]-[hash].[ext]', asset: 'assets/[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutUnusedModules],
  })
  const built = outputs.map(async (file) => ({
    name: file.path.replace(/^\.\//, ''),
    bytes: new Uint8Array(await file.arrayBuffer()),
  }))
  return { built: await Promise.all(built), sources }
}

/**
 * Minifies a script with terser: the result is 5 % smaller than Bun's. The script keeps the name that Bun derived from
 * its content, because other scripts import it by that name.
 */
async function minified(file: Built): Promise<Built> {
  if (!file.name.endsWith('.js')) return file
  const compress = { ecma: 2020, passes: 3, keep_fargs: false } as const
  const { code } = await minify(new TextDecoder().decode(file.bytes), { module: true, ecma: 2020, compress })
  return { ...file, bytes: new TextEncoder().encode(code) }
}

/**
 * The styles without changes. With the target "browser", Bun would rewrite them for browsers of 2020, with three rules
 * for each `padding-inline` and a list of languages against which every element must be matched. That makes them half
 * as long again and slows rendering, and our scripts run only in newer browsers anyway.
 */
async function restyled(files: Built[], root: string, styles: string): Promise<Built[]> {
  const { outputs } = await bundle(root, { entrypoints: [styles], target: 'bun', minify: true, plugins: [withoutUnusedModules] })
  if (outputs.length !== 1) throw new Error('The styles should be one file.')
  const bytes = new Uint8Array(await outputs[0]!.arrayBuffer())
  const before = files.filter(({ name }) => name.endsWith('.css'))
  if (before.length !== 1) throw new Error('There should be one style sheet.')
  const name = `assets/main-${Bun.hash(bytes).toString(36)}.css`
  return files.map((file) => {
    if (file === before[0]) return { ...file, name, bytes }
    if (!file.name.endsWith('.html')) return file
    return { ...file, bytes: new TextEncoder().encode(new TextDecoder().decode(file.bytes).replace(before[0]!.name, name)) }
  })
}

function checkSize(files: TarFile[][]) {
  const bytes = files.flat().reduce((sum, file) => sum + (file.name.endsWith('.br') ? file.bytes.length : 0), 0)
  const told = `The web UI: ${files.length} files, ${Math.round(bytes / 1000)} KB by brotli, of at most ${maxBundleBytes / 1000} KB`
  if (bytes > maxBundleBytes) throw new Error(`${told}. Load less, or later.`)
  console.log(told)
}

async function compressed({ name, bytes }: Built): Promise<TarFile[]> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes), promisify(gzip)(bytes, { level: 9 })])
  return [
    { name: `${name}.br`, bytes: br },
    { name: `${name}.gz`, bytes: gz },
  ]
}
