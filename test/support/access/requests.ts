import type { Row } from './document'
import type { Sight } from './sight'
import { referenceOf, type World, type WorldTable } from './world'

/** A response whose bytes have been read; `text` contains all of its text, including that packed in a workbook. */
export type Answer = { status: number; headers: Record<string, string>; text: string; json: unknown }

/**
 * `check` returns the problem with the response. `repeats` sends further requests with values of the first response.
 */
export type Request = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: unknown
  check?: ((answer: Answer) => string | null) | undefined
  repeats?: 'if-none-match' | 'pages'
  /** Checks the response and those of the repeated requests. */
  checkAll?: (answers: readonly Answer[]) => string | null
}

/** The parts that determine a request: a table, the caller's view of it, and random numbers. */
export type Pick = { world: World; table: WorldTable; sight: Sight; visible: ReadonlySet<string>; a: number; b: number; c: number }

export type Builder = (asked: Pick) => Request

export const pick = <Item>(items: readonly Item[], number: number): Item => items[number % Math.max(1, items.length)]!

export const tableRequest = ({ table }: Pick, path: string, check?: Request['check']): Request => ({
  method: 'GET',
  path: `/api/v1/tables/${referenceOf(table)}${path}`,
  check,
})

export const problem = (wanted: string, { status, text }: Answer): string =>
  `It should be ${wanted}, and is ${status}: ${text.slice(0, 400)}`

export function rowsEqual(wanted: readonly Row[], found: readonly Row[], isOrdered: boolean): string | null {
  const texts = (rows: readonly Row[]) => (isOrdered ? rows.map(plain) : rows.map(plain).sort())
  const [one, other] = [texts(wanted), texts(found)]
  return JSON.stringify(one) === JSON.stringify(other) ? null : `The rows should be\n${one.join('\n')}\nand are\n${other.join('\n')}`
}

/** Normalizes the order of names, compares lists of rows as sets, and files by their names. */
function plain(row: Row): string {
  const value = (item: unknown): unknown => {
    if (Array.isArray(item))
      return item
        .map(value)
        .map((part) => JSON.stringify(part))
        .sort()
    if (item === null || typeof item !== 'object') return item
    const known = item as Row
    if ('size' in known && 'type' in known) return known.name
    return Object.fromEntries(
      Object.entries(known)
        .sort()
        .map(([name, part]) => [name, value(part)]),
    )
  }
  return JSON.stringify(value(row))
}
