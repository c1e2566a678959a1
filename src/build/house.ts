import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Glob } from 'bun'

/**
 * `bun run house` prints the rooms of `src/` with their sizes; `--write` puts the table into docs/house.md. Sizes are
 * determined from the source text: the formatter begins every top-level declaration in the first column.
 */

/**
 * The rooms of the web UI, lowest first: `language.ts` selects the strings, and the files at the end are the entry
 * points. `records` holds the UI's model of records, and `fields` the inputs and displays of their values.
 */
export const uiRanks = ['strings', 'language', 'session', 'api', 'values', 'records', 'components', 'fields', 'layout', 'pages']
uiRanks.push('lazy-page', 'nonce', 'theme', 'trusted-types', 'router', 'main', 'swagger')

type RoomSize = { room: string; files: number; lines: number; functions: number; longFunctions: number; names: number; cycles: number }

const ui = 'web/browser/'
const maxCalmLines = 70

/** The folder in `src/`, or the room of the web UI; files outside these folders form one room. */
function roomOf(path: string): string {
  const inUi = path.startsWith(ui)
  const [folder, ...rest] = (inUi ? path.slice(ui.length) : path).split('/')
  return `${inUi ? ui : ''}${rest.length > 0 ? folder : 'files beside the folders'}`
}

/** The rooms of the service by name, then those of the web UI by rank. */
export function measureRooms(root: string): RoomSize[] {
  const source = join(root, 'src')
  const paths = [...new Glob('**/*.{ts,tsx}').scanSync(source)].filter((path) => !path.endsWith('.d.ts'))
  const texts = new Map(paths.sort().map((path) => [path, readFileSync(join(source, path), 'utf8')]))
  const loops = importCycles(texts)
  const orderOf = (room: string) => (room.startsWith(ui) ? 1 + (uiRanks.indexOf(room.slice(ui.length)) + 1 || uiRanks.length + 1) : 0)
  return [...Map.groupBy(texts.keys(), roomOf)]
    .map(([room, members]) => {
      const declarations = members.flatMap((path) => declarationsOf(texts.get(path)!))
      const functions = declarations.filter(({ isFunction }) => isFunction)
      return {
        room,
        files: members.length,
        lines: members.reduce((sum, path) => sum + texts.get(path)!.split('\n').length - 1, 0),
        functions: functions.length,
        longFunctions: functions.filter(({ lines }) => lines > maxCalmLines).length,
        names: new Set(declarations.map(({ name }) => name)).size,
        cycles: loops.filter(([first]) => roomOf(first!) === room).length,
      }
    })
    .sort((one, other) => orderOf(one.room) - orderOf(other.room) || one.room.localeCompare(other.room, 'en'))
}

type Declaration = { name: string; lines: number; isFunction: boolean }

const declaration =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|const|let|class|type|interface|enum) (\w+)(.*)$/

function declarationsOf(text: string): Declaration[] {
  const found: Declaration[] = []
  let last: (Declaration & { end: number; start: number }) | null = null
  for (const [at, line] of text.split('\n').entries()) {
    const [, keyword, name, rest] = line.match(declaration) ?? []
    if (keyword && name) {
      const isArrow = /= (?:async )?(?:<[^=]*>)?(?:\(|\w+ =>)/.test(rest!) || (keyword === 'const' && / =>$/.test(rest!))
      last = { name, lines: 1, isFunction: keyword.startsWith('function') || (keyword === 'const' && isArrow), start: at, end: at }
      found.push(last)
    } else if (last && /^(?: {2}|[)}\]])/.test(line)) last.lines = at - last.start + 1
  }
  return found
}

/** Groups of files that import each other in a circle, types too. */
function importCycles(texts: ReadonlyMap<string, string>): string[][] {
  const targets = new Map([...texts].map(([path, text]) => [path, importsOf(path, text, texts)]))
  const reachable = new Map([...texts.keys()].map((path) => [path, reachableFrom(path, targets)]))
  const groups = new Map<string, string[]>()
  for (const [path, seen] of reachable) {
    if (!seen.has(path)) continue
    const first = [...seen].filter((other) => reachable.get(other)!.has(path)).sort()[0]!
    groups.set(first, [...(groups.get(first) ?? []), path])
  }
  return [...groups.values()]
}

function importsOf(path: string, text: string, texts: ReadonlyMap<string, string>): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].flatMap(([, name]) => {
    const target = relative('/', resolve('/', dirname(path), name!))
    return [target, `${target}.ts`, `${target}.tsx`].find((candidate) => texts.has(candidate)) ?? []
  })
}

function reachableFrom(path: string, targets: ReadonlyMap<string, string[]>): Set<string> {
  const seen = new Set<string>()
  const waiting = [...targets.get(path)!]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...targets.get(next)!)
  }
  return seen
}

const heading = '| Folder | Files | Lines | Functions | Above 70 lines | Names | Import cycles |'
const pattern = /\| Folder \| Files \|.*\n(?:\|.*\n)*/

function toTable(rooms: readonly RoomSize[]): string {
  const number = (value: number) => value.toLocaleString('en')
  const row = ({ room, files, lines, functions, longFunctions, names, cycles }: RoomSize) =>
    `| ${room} | ${[files, lines, functions, longFunctions, names, cycles].map(number).join(' | ')} |`
  return [heading, '|---|---|---|---|---|---|---|', ...rooms.map(row), ''].join('\n')
}

/** The table in docs/house.md: the numbers of each room. */
export function readRoomTable(document: string): Map<string, number[]> {
  const [, , ...rows] = document.match(pattern)?.[0].trimEnd().split('\n') ?? []
  const cells = rows.map((row) => row.slice(2, -2).split(' | '))
  return new Map(cells.map(([room, ...numbers]) => [room!, numbers.map((text) => Number(text.replaceAll(',', '')))]))
}

if (import.meta.main) {
  const root = resolve(import.meta.dir, '../..')
  const table = toTable(measureRooms(root))
  process.stdout.write(table)
  const document = join(root, 'docs/house.md')
  if (process.argv.includes('--write')) writeFileSync(document, readFileSync(document, 'utf8').replace(pattern, table))
}
