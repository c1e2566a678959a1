import { describe, expect, test } from 'bun:test'
import { dirname, join, relative, resolve } from 'node:path'
import { Glob } from 'bun'
import { measureRooms, readRoomTable, uiRanks } from '../src/build/house'
import { sharedFolder, sharedSources } from '../src/build/web'
import { commentsOf } from './support/comments'
import { declarationsIn } from './support/functions'

/** The dependency rule of the README: folders have a rank, and a file imports its own rank or lower. */
// biome-ignore format: a table
const ranks = [
  'exact-json', 'lru', 'retries', 'time-zone', 'timeout', 'truncate', 'unless-running', 'html', 'messages', 'errors', 'deps', 'ops', 'object-store', 'db', 'http', 'auth', 'users', 'system',
  'tables', 'records', 'access', 'xlsx', 'csv', 'attachments', 'backup', 'sample', 'changes', 'documents/render', 'plugins',
  'documents', 'links', 'forms', 'web', 'metrics', 'app', 'commands', 'main',
]
/**
 * Within a room its folders have an order, too. The files beside them are the room's door above them, or what all of
 * them share.
 */
const rooms: Record<string, string[]> = {
  ops: ['settings', 'log', 'ownership'],
  db: ['schema', 'pool', 'embedded', 'migration'],
  http: ['request', 'response', 'server'],
  auth: ['identity', 'audit', 'refusals', 'accounts'],
  tables: ['column-types', 'formulas', 'log', 'catalog', 'definitions', 'report', 'views'],
  'tables/catalog': ['introspection', 'links'],
  'tables/definitions': ['links', 'conversion'],
  records: ['query', 'store', 'display', 'native', 'postgrest'],
  'records/query': ['parse', 'plan', 'sql'],
  'records/postgrest': ['errors', 'request', 'rpc', 'writes'],
  csv: ['export', 'import'],
  backup: [
    ...['archive', 'database-copy', 'logical', 'source', 'copy', 'proof', 'wal', 'restore', 'table', 'upgrade', 'cluster-upgrade', 'move'],
  ],
  plugins: ['load', 'host', 'sdk'],
  links: ['opening', 'shared', 'page'],
  forms: ['page'],
  'web/browser/records': ['values', 'filters', 'list', 'pages', 'mutations'],
  'web/browser/pages/grid': ['model', 'view', 'edit', 'tools', 'cards', 'page'],
  'web/browser/pages/record': ['files', 'form'],
}
/** Outside the product: it makes the executable, may import anything, and nothing imports it. */
const tooling = 'build'

const root = resolve(import.meta.dir, '../src')
const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }

type SourceFile = { path: string; text: string; unit: string; values: string[]; imports: string[] }

/**
 * The folder of a file that has a rank; of `documents`, the process that makes them has one of its own, since plugins
 * call it.
 */
const unitOf = (path: string) => (path.startsWith('documents/render/') ? 'documents/render' : path.split('/')[0]!.replace(/\.ts$/, ''))
const importPattern = /\b(?:from|import)\s*\(?\s*'([^']+)'/g

/** `values` are imports that are there at run time, `imports` those of types too. */
async function read(path: string): Promise<SourceFile> {
  const text = await Bun.file(join(root, path)).text()
  const values = transpilers[path.endsWith('x') ? 'tsx' : 'ts'].scanImports(text).map((found) => found.path)
  return { path, text, unit: unitOf(path), values, imports: [...text.matchAll(importPattern)].map(([, target]) => target!) }
}

const files = await Promise.all([...new Glob('**/*.{ts,tsx}').scanSync(root)].sort().map(read))

/** The file of ours that an import names, or null for a package. */
function targetOf(from: string, name: string): string | null {
  if (!name.startsWith('.')) return null
  const path = relative(root, resolve(root, dirname(from), name))
  const found = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => files.some((file) => file.path === candidate))
  return found ?? path
}

/** Every import of ours that `isWrong`, as `from -> to`. */
const wrongImports = (pick: (file: SourceFile) => string[], isWrong: (from: string, to: string) => boolean) =>
  files
    .filter(({ unit }) => unit !== tooling)
    .flatMap((file) => pick(file).map((name) => [file.path, targetOf(file.path, name)] as const))
    .flatMap(([from, to]) => (to !== null && isWrong(from, to) ? [`${from} -> ${to}`] : []))

test('the sources are found', () => {
  expect(files.map(({ path }) => path)).toContain('auth/identity/credential.ts')
  expect(files.find(({ path }) => path === 'app.ts')?.values).toContain('./auth/accounts/routes')
})

describe('folders', () => {
  test('all have a rank', () => {
    const known = [...ranks, tooling]
    expect([...new Set(files.map(({ unit }) => unit))].filter((unit) => !known.includes(unit))).toEqual([])
  })

  test('import downwards only, types too', () => {
    // The browser's part is a client of the whole: it knows the types of the routes, and takes nothing at run time
    // (below).
    const isClient = (from: string, to: string) => from === 'web/browser/api/client.ts' && to === 'app.ts'
    const isUpwards = (from: string, to: string) =>
      from !== 'deps.ts' && !isClient(from, to) && !to.startsWith('..') && ranks.indexOf(unitOf(to)) > ranks.indexOf(unitOf(from))
    expect(wrongImports((file) => file.imports, isUpwards)).toEqual([])
  })

  test('of a room import downwards only, types too', () => {
    const placeIn = (room: string, path: string) =>
      path.startsWith(`${room}/`) ? rooms[room]!.indexOf(path.slice(room.length + 1).split('/')[0]!) : -1
    const isUpwards = (from: string, to: string) =>
      Object.keys(rooms).some((room) => placeIn(room, from) >= 0 && placeIn(room, to) > placeIn(room, from))
    expect(wrongImports((file) => file.imports, isUpwards)).toEqual([])
    const missing = Object.entries(rooms).flatMap(([room, folders]) => folders.map((folder) => `${room}/${folder}/`))
    expect(missing.filter((folder) => !files.some(({ path }) => path.startsWith(folder)))).toEqual([])
  })

  test('of the web UI import downwards only, types too', () => {
    const ui = 'web/browser/'
    const rankOf = (path: string) =>
      uiRanks.indexOf(
        path
          .slice(ui.length)
          .split('/')[0]!
          .replace(/\.tsx?$/, ''),
      )
    const isUi = (path: string) => path.startsWith(ui)
    expect(files.filter(({ path }) => isUi(path) && rankOf(path) < 0).map(({ path }) => path)).toEqual([])
    const isUpwards = (from: string, to: string) => isUi(from) && isUi(to) && rankOf(to) > rankOf(from)
    expect(wrongImports((file) => file.imports, isUpwards)).toEqual([])
  })

  test('of pages import no other page but through lazy-pages', () => {
    const pages = 'web/browser/pages/'
    const lazyPages = `${pages}lazy-pages.ts`
    const pageOf = (path: string) => (path.startsWith(pages) ? path.slice(pages.length).split('/')[0]! : null)
    const isOther = (from: string, to: string) => pageOf(from) !== null && pageOf(to) !== null && pageOf(from) !== pageOf(to)
    const leaves = (from: string, to: string) => from !== lazyPages && to !== lazyPages && isOther(from, to)
    expect(wrongImports((file) => file.imports, leaves)).toEqual([])
    // What a page takes of another one is loaded on demand.
    expect(
      wrongImports(
        (file) => [...file.text.matchAll(/\bfrom '([^']+)'/g)].map(([, name]) => name!),
        (_from, to) => to === lazyPages,
      ),
    ).toEqual([])
  })

  test('records of the web UI have no components', () => {
    const isComponent = ({ path }: SourceFile) => path.startsWith('web/browser/records/') && path.endsWith('.tsx')
    expect(files.filter(isComponent).map(({ path }) => path)).toEqual([])
  })

  test('records/store knows no HTTP, and the two dialects know nothing of each other', () => {
    const isHttp = (path: string) => /^(http|records\/(native|postgrest))\//.test(path)
    const leaves = (from: string, to: string) =>
      (from.startsWith('records/store/') && isHttp(to)) ||
      (from.startsWith('records/native/') && to.startsWith('records/postgrest/')) ||
      (from.startsWith('records/postgrest/') && to.startsWith('records/native/'))
    expect(wrongImports((file) => file.imports, leaves)).toEqual([])
    const ofElysia = files.filter(({ path, imports }) => path.startsWith('records/store/') && imports.includes('elysia'))
    expect(ofElysia.map(({ path }) => path)).toEqual([])
  })

  test('deps.ts imports types and nothing else', () => {
    expect(files.find(({ path }) => path === 'deps.ts')?.values).toEqual([])
  })

  test('import nothing of the build but what it made', () => {
    expect(
      wrongImports(
        (file) => file.imports,
        (_from, to) => unitOf(to) === tooling,
      ),
    ).toEqual([])
    const outside = wrongImports(
      (file) => file.imports,
      (_from, to) => to.startsWith('..') && !to.startsWith('../.build/'),
    )
    expect(outside).toEqual(['ops/version.ts -> ../package.json'])
  })

  test('have no cycles', () => {
    const targets = new Map(files.map((file) => [file.path, file.values.flatMap((name) => targetOf(file.path, name) ?? [])]))
    const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
      (targets.get(from) ?? []).some((next) => {
        if (next === wanted) return true
        if (seen.has(next)) return false
        return reaches(next, wanted, seen.add(next))
      })
    expect(files.map(({ path }) => path).filter((path) => reaches(path, path))).toEqual([])
  })
})

describe('kinds of files', () => {
  const importing = (isKind: (path: string) => boolean, isWrong: (name: string) => boolean) =>
    files.filter(({ path }) => isKind(path)).flatMap(({ path, imports }) => imports.filter(isWrong).map((name) => `${path} -> ${name}`))

  test('routes.ts is mounted by app.ts and imported by nobody else', () => {
    expect(
      wrongImports(
        (file) => file.imports,
        (from, to) => to.endsWith('/routes.ts') && from !== 'app.ts',
      ),
    ).toEqual([])
  })

  test('service.ts, query/ and ddl.ts know nothing of HTTP', () => {
    const isDecision = (path: string) => /(^|\/)(service|ddl)\.ts$|\/query\//.test(path)
    expect(files.filter(({ path }) => isDecision(path)).length).toBeGreaterThan(3)
    expect(importing(isDecision, (name) => name === 'elysia' || name.startsWith('@elysiajs/'))).toEqual([])
  })

  test('routes.ts knows nothing of SQL', () => {
    expect(
      importing(
        (path) => path.endsWith('routes.ts'),
        (name) => name.startsWith('drizzle') || name === 'postgres',
      ),
    ).toEqual([])
  })

  test('query/ and ddl.ts are pure: they import nothing that does anything', () => {
    const isPure = (path: string) => /\/query\/|ddl\.ts$|auth\/identity\/credential\.ts$/.test(path)
    expect(importing(isPure, (name) => name.startsWith('node:') || name === 'bun' || name.endsWith('/db/open'))).toEqual([])
  })

  test('what runs in the browser takes only types from the server, and plain data', () => {
    const isBrowser = (path: string) => path.startsWith('web/browser/')
    // A file of the service that imports nothing brings nothing of the service along.
    for (const path of sharedSources) expect(files.find((file) => file.path === path)?.imports).toEqual([])
    // Workbooks are read in both: their folder imports nothing of the rest.
    const isInFolder = (path: string) => path.startsWith(`${sharedFolder}/`)
    const isShared = (path: string) => sharedSources.includes(path) || isInFolder(path)
    expect(
      wrongImports(
        (file) => file.imports,
        (from, to) => isInFolder(from) && !isInFolder(to),
      ),
    ).toEqual([])
    const leaves = (from: string, to: string) => isBrowser(from) && !isBrowser(to) && !isShared(to)
    expect(wrongImports((file) => file.values, leaves)).toEqual([])
  })

  test('no file is a drawer', () => {
    expect(files.map(({ path }) => path).filter((path) => /(^|\/)(utils?|common|helpers?|misc)(\.ts|\/)/.test(path))).toEqual([])
  })
})

describe('only main.ts', () => {
  const naming = (pattern: RegExp) =>
    files.filter(({ unit, text }) => unit !== tooling && pattern.test(withoutComments(text))).map(({ path }) => path)

  test('reads the environment', () => {
    // PostgreSQL's processes inherit PATH, macOS names its user in USER, and who was root has another HOME: none is a
    // setting of ours.
    expect(naming(/\b(process|Bun)\.env\b|import\.meta\.env\b/)).toEqual([
      'db/embedded/become.ts',
      'db/embedded/cluster.ts',
      'main.ts',
      'ops/ownership/privileges.ts',
    ])
  })

  test('ends the process', () => {
    // The other one is the end of a process that was to become PostgreSQL and could not.
    expect(naming(/\bprocess\.exit\b/)).toEqual(['db/embedded/become.ts', 'main.ts'])
  })
})

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')

test('no file is longer than 400 lines', async () => {
  const tests = [...new Glob('**/*.{ts,tsx}').scanSync(import.meta.dir)].map(async (path) => ({
    path: `test/${path}`,
    text: await Bun.file(join(import.meta.dir, path)).text(),
  }))
  const all = [...files, ...(await Promise.all(tests))]
  expect(all.filter(({ text }) => text.split('\n').length > 400).map(({ path }) => path)).toEqual([])
})

test('migrations/meta has no snapshot but the last, which is all that drizzle-kit reads', async () => {
  const folder = resolve(root, '../migrations/meta')
  const { entries } = (await Bun.file(join(folder, '_journal.json')).json()) as { entries: { tag: string }[] }
  const last = entries.at(-1)!.tag.split('_')[0]
  expect([...new Glob('*').scanSync(folder)].sort()).toEqual([`${last}_snapshot.json`, '_journal.json'])
})

test('no folder has more than 20 source files', () => {
  const folders = Map.groupBy(files, ({ path }) => dirname(path))
  expect(folders.size).toBeGreaterThan(50)
  expect([...folders].flatMap(([folder, { length }]) => (length > 20 ? [`${folder}: ${length}`] : []))).toEqual([])
})

test('docs/house.md has the size of every room, and neither long functions nor import cycles become more', async () => {
  const measured = measureRooms(resolve(root, '..'))
  const written = readRoomTable(await Bun.file(resolve(root, '../docs/house.md')).text())
  expect([...written.keys()]).toEqual(measured.map(({ room }) => room))
  const isNear = (is: number, was: number) => Math.abs(is - was) <= Math.max(10, was / 5)
  const old = measured.filter(({ room, files, lines, functions, longFunctions, names, cycles }) => {
    const [files0, lines0, functions0, long0, names0, cycles0] = written.get(room)! as [number, number, number, number, number, number]
    const isSize = isNear(files, files0) && isNear(lines, lines0) && isNear(functions, functions0) && isNear(names, names0)
    return !isSize || longFunctions > long0 || cycles > cycles0
  })
  // Written again by `bun run house --write`.
  expect(old).toEqual([])
})

/** The functions of more than 120 lines, with their lines. The numbers only fall, and none is added. */
const longFunctions = [
  'auth/accounts/routes.ts authRoutes: 143',
  'backup/routes.ts backupRoutes: 137',
  'backup/schedule/backups.ts createBackups: 161',
  'changes/routes.ts changeRoutes: 135',
  'csv/import/runner.ts createImportRunner: 137',
  'csv/scanner.ts createScanner: 149',
  'records/native/routes.ts recordRoutes: 124',
  'users/routes.ts userRoutes: 125',
]
/** How many functions have more than 70 lines. The number only falls. */
const functionsAbove70Lines = 47

test('functions have at most 120 lines, and no more of them than before have more than 70', async () => {
  const { functions } = await declarationsIn(root)
  const above = (most: number) => functions.filter(({ lines }) => lines > most)
  expect(
    above(120)
      .map(({ path, name, lines }) => `${path} ${name}: ${lines}`)
      .sort(),
  ).toEqual(longFunctions)
  expect(above(70)).toHaveLength(functionsAbove70Lines)
}, 60_000)

const exportedName = /^export (?:async )?(?:function|const) (\w+)/gm

test('no exported function says that it holds, refuses or may: what throws is require…, assert…, reject… or throw…, what answers can…, is… or has…', () => {
  const names = files.flatMap(({ path, text }) => [...text.matchAll(exportedName)].map(([, name]) => ({ path, name: name! })))
  expect(names.length).toBeGreaterThan(1000)
  expect(names.filter(({ name }) => /^(hold|refused?|may)[A-Z]/.test(name))).toEqual([])
})

test('no exported name is declared in two files, except where the languages of the web UI mirror each other', () => {
  const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm
  const names = files
    .filter(({ path }) => !path.startsWith('web/browser/strings/'))
    .flatMap(({ path, text }) => [...new Set([...text.matchAll(declared)].map(([, name]) => name!))].map((name) => ({ path, name })))
  expect(names.length).toBeGreaterThan(1500)
  const twice = [...Map.groupBy(names, ({ name }) => name)].filter(([, { length }]) => length > 1)
  expect(twice.map(([name, places]) => `${name}: ${places.map(({ path }) => path).join(', ')}`)).toEqual([])
})

test('no name is declared in more than five files', () => {
  const declared = /^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm
  const names = files.flatMap(({ text }) => [...new Set([...text.matchAll(declared)].map(([, name]) => name!))])
  expect(names.length).toBeGreaterThan(3500)
  const often = [...Map.groupBy(names, (name) => name)].filter(([, { length }]) => length > 5)
  expect(often.map(([name, { length }]) => `${name}: ${length}`)).toEqual([])
})

test('tests await promises instead of expect().rejects, which runs the event loop in itself', async () => {
  const tests = [...new Glob('**/*.ts').scanSync({ cwd: import.meta.dir })].filter((path) => path !== 'support/rejection.ts')
  const texts = await Promise.all(tests.map(async (path) => ({ path, text: await Bun.file(join(import.meta.dir, path)).text() })))
  expect(texts.length).toBeGreaterThan(400)
  expect(texts.filter(({ text }) => /\)\s*\.(?:rejects|resolves)\s*\./.test(text)).map(({ path }) => path)).toEqual([])
})

test('comments are at most 120 characters wide', () => {
  const isWide = (line: string) => line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line) && !/biome-ignore|https?:/.test(line)
  expect(files.flatMap(({ path, text }) => text.split('\n').flatMap((line) => (isWide(line) ? [`${path}: ${line.trim()}`] : [])))).toEqual(
    [],
  )
})

/** What a comment says in a translated voice; plain English has a noun, an active verb or "after" there. */
const translatedVoice = [
  /^Of /,
  /\b(?:whoever|whom)\b/i,
  /\bwhat (?:is|was|has|comes)\b/i,
  /\bstands\b/i,
  /\b(?:is|are) (?:told|said|kept|brought)\b/i,
  /\bbehind\b/i,
  /\bnone of\b/i,
]

test('no comment has a translated voice', () => {
  const found = files.flatMap(({ path, text }) =>
    commentsOf(path, text)
      .filter((comment) => translatedVoice.some((pattern) => pattern.test(comment)))
      .map((comment) => `${path}: ${comment}`),
  )
  expect(found).toEqual([])
})
