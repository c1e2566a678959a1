import type { TObject } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { t } from 'elysia'
import { type Problem, validationFailed } from '../../../errors'
import { translatable } from '../../../messages/message'
import { columnTypes } from '../../../tables/column-types'
import { type NewColumn, NewColumn as NewColumnSchema, type NewTable } from '../../../tables/model'
import { truncateBytes } from '../../../truncate'
import type { ColumnForm } from '../../../xlsx/number-formats'
import type { FileNotation } from '../notation-sql'
import { type Guess, guessKey, guessType } from './guess'
import { type NearType, nearType } from './near-type'

/** The use of one column of the file: as the key, as a column, or none (it is skipped). */
export type ColumnPlan = {
  header: string
  role: 'key' | 'column' | 'none'
  column: NewColumn
  /** Whether the caller chose the type. */
  isAsked: boolean
  /** Whether the caller also chose the options of that type. */
  hasAskedOptions?: boolean
  /** How a workbook displays the column's numbers, as far as it has been read. */
  form?: ColumnForm | null
  /** A type that only a few cells rule out. */
  near?: NearType | null
}

/** The definition of a table to create from a file. */
export type TablePlan = { name: string; key: { name: string; type: 'bigint' | 'uuid' }; columns: ColumnPlan[] }

const { name, type, required, unique, options } = (NewColumnSchema as TObject).properties
const ColumnOverride = t.Partial(
  t.Object({ name: name!, type: type!, required: required!, unique: unique!, options: options! }, { additionalProperties: false }),
)
type ColumnOverride = Partial<NewColumn>

/**
 * The caller's overrides of columns, by their positions; null skips a column. A key is a name in the header, or the
 * planned name, which is unique even if headers are equal.
 * @param names as `plannedNames` returns them
 * @throws Failure validation_failed
 */
export function readColumnOverrides(
  text: string | undefined,
  headers: readonly string[],
  names: readonly string[],
): Map<number, ColumnOverride | null> {
  if (text === undefined) return new Map()
  const wishes = parseObject(text)
  if (!wishes)
    throw validationFailed([
      {
        path: 'columns',
        message: translatable('must be a JSON object whose keys are names in the header, such as {example}', {
          example: '{"Mail": {"name": "email", "type": "email"}, "Junk": null}',
        }),
      },
    ])
  const isRepeated = (key: string) => headers.indexOf(key) !== headers.lastIndexOf(key)
  const indexOf = (key: string) => (isRepeated(key) || !headers.includes(key) ? names : headers).indexOf(key)
  const problems = Object.entries(wishes).flatMap(([key, wish]): Problem[] => {
    const path = `columns/${key.slice(0, 80)}`
    if (indexOf(key) < 0)
      return [{ path, message: isRepeated(key) ? translatable('appears in the header twice') : translatable('is not in the header') }]
    if (wish === null) return []
    const [error] = [...Value.Errors(ColumnOverride, wish)]
    if (error) return [{ path: `${path}${error.path}`, message: translatable('is not acceptable') }]
    const said = (wish as ColumnOverride).type
    return said && !isWritten(said) ? [{ path: `${path}/type`, message: translatable('is filled by Rowhouse, not by a file') }] : []
  })
  if (problems.length) throw validationFailed(problems)
  return new Map(Object.entries(wishes).map(([key, wish]: [string, ColumnOverride | null]) => [indexOf(key), wish] as const))
}

/** The names that the caller gives to columns of the header. `readColumnOverrides` reports their problems. */
export const givenNames = (text: string | undefined): Map<string, string> =>
  new Map(
    Object.entries(parseObject(text ?? '') ?? {}).flatMap(([header, wish]) => {
      const { name } = (wish ?? {}) as { name?: unknown }
      return typeof name === 'string' ? [[header, name] as const] : []
    }),
  )

const isWritten = (said: NewColumn['type']) => !columnTypes[said].filledBy && said !== 'manyLinks' && !columnTypes[said].isVirtual

function parseObject(text: string): object | null {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** How a workbook displays the numbers of a column. */
export type FormOf = (index: number) => ColumnForm | null

/** @param cells the cells of the first records of the file, by column, and their `lines` */
export function planTable(
  tableName: string,
  headers: readonly string[],
  cells: readonly (readonly string[])[],
  {
    overrides: wishes,
    notation,
    formOf,
    lines,
    names,
  }: {
    overrides: Map<number, ColumnOverride | null>
    names: readonly string[]
    notation: FileNotation
    formOf: FormOf
    lines: readonly number[]
  },
): TablePlan {
  const keyIndex = headers.findIndex((header, index) => header.toLowerCase() === 'id' && !wishes.has(index))
  const keyType = keyIndex < 0 ? null : guessKey(cells[keyIndex]!)
  const taken = new Set<string>([keyType ? headers[keyIndex]! : 'id'])
  const columns = headers.map((header, index): ColumnPlan => {
    if (keyType && index === keyIndex) return { header, role: 'key', column: { name: header, type: keyType }, isAsked: false }
    const wish = wishes.get(index)
    if (wish === null) return { header, role: 'none', column: { name: header, type: 'text' }, isAsked: false }
    const form = formOf(index)
    const found = guessType(cells[index]!, notation, form)
    const guess: Guess = wish?.type && wish.type !== found.type ? { type: wish.type } : found
    const named = wish?.name ?? freeName(names[index]!, (candidate) => taken.has(candidate))
    taken.add(named)
    const isAsked = wish?.type !== undefined
    const near = isAsked ? null : nearType(found, cells[index]!, lines, { notation, form })
    return {
      header,
      role: 'column',
      column: { ...guess, ...wish, name: named } as NewColumn,
      isAsked,
      hasAskedOptions: isAsked && !!wish.options,
      form,
      near,
    }
  })
  return { name: tableName, key: keyType ? { name: headers[keyIndex]!, type: keyType } : { name: 'id', type: 'bigint' }, columns }
}

/**
 * The names of the columns if the caller chooses none. Each name is unique.
 * @param cells as `planTable` takes them
 */
export function plannedNames(headers: readonly string[], cells: readonly (readonly string[])[]): string[] {
  const keyIndex = headers.findIndex((header) => header.toLowerCase() === 'id')
  const isKeyed = keyIndex >= 0 && guessKey(cells[keyIndex]!) !== null
  const taken = new Set<string>([isKeyed ? headers[keyIndex]! : 'id'])
  return headers.map((header, index) => {
    if (isKeyed && index === keyIndex) return header
    // The name of another header would make a key of `columns` ambiguous.
    const isTaken = (candidate: string) => taken.has(candidate) || (candidate !== header && headers.includes(candidate))
    const free = freeName(toColumnName(header, index), isTaken)
    taken.add(free)
    return free
  })
}

/** PostgreSQL reserves some names and allows at most 63 bytes. */
function toColumnName(header: string, index: number): string {
  const plain = header.trim() === '' ? `column ${index + 1}` : header
  return truncateBytes(/^(tableoid|xmin|cmin|xmax|cmax|ctid)$/.test(plain) ? `${plain}_` : plain, 63)
}

function freeName(base: string, isTaken: (candidate: string) => boolean): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? base : `${truncateBytes(base, 58)} ${number}`
    if (!isTaken(candidate)) return candidate
  }
}

/**
 * Whether the table can have a column of this name.
 * @throws Failure validation_failed
 */
export function requireNamingColumn(plan: TablePlan, displayColumn: string): void {
  const names = plan.columns.filter(({ role }) => role !== 'none').map(({ column }) => column.name)
  if (![...names, plan.key.name, generatedKeyName(plan)].includes(displayColumn))
    throw validationFailed([{ path: '/displayColumn', message: translatable('There is no such column.') }])
}

/** The name of the generated key, in case later records contradict the planned one. */
export function generatedKeyName({ columns }: TablePlan): string {
  const names = columns.map(({ column }) => column.name)
  let name = '_id'
  while (names.includes(name)) name = `_${name}`
  return name
}

export const newTableOf = ({ name: tableName, key, columns }: TablePlan): NewTable => ({
  name: tableName,
  primaryKey: key,
  columns: columns.filter(({ role }) => role === 'column').map(({ column }) => column),
})
