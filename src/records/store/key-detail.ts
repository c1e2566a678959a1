import type { Table } from '../../tables/model'

type KnownKeys = Pick<Table, 'uniqueKeys' | 'foreignKeys'>

const beginning = 'Key ('

/**
 * The columns in `Key (a, b)=(1, 2) already exists.`, the detail of an error about a key. PostgreSQL quotes names in
 * the key of an index, but not those in a link, where only the keys of the table tell one name with a comma from two.
 * @param constraint the name of the violated constraint
 */
export const columnsInDetail = (detail: string, table?: KnownKeys, constraint?: string): string[] =>
  knownKey(detail, table, constraint) ?? keyDetailParts(detail)?.map(columnIn) ?? []

/** Like `columnsInDetail`, as written by PostgreSQL; null for another detail. */
export const keyInDetail = (detail: string, table?: KnownKeys, constraint?: string): string | null =>
  (knownKey(detail, table, constraint) ?? keyDetailParts(detail))?.join(', ') ?? null

function knownKey(detail: string, table?: KnownKeys, constraint?: string): string[] | undefined {
  const own = table?.foreignKeys.filter(({ name }) => name === constraint).map(({ columns }) => columns) ?? []
  return [...own, ...(table?.uniqueKeys ?? [])].find((columns) => detail.startsWith(`${beginning}${columns.join(', ')})=(`))
}

/**
 * The parts of the key as they are written; null for another detail. Commas and parentheses within quotes or within
 * parentheses of an expression belong to their part.
 */
export function keyDetailParts(detail: string): string[] | null {
  if (!detail.startsWith(beginning)) return null
  const parts: string[] = []
  let start = beginning.length
  let depth = 0
  for (let at = start; at < detail.length; at++) {
    const sign = detail[at]!
    if (sign === '"' || sign === "'") {
      // Two quotes within a name are two quoted parts of it.
      const closing = detail.indexOf(sign, at + 1)
      if (closing < 0) return null
      at = closing
    } else if (sign === '(') depth++
    else if (sign === ')' && depth > 0) depth--
    else if (sign === ')') return detail.startsWith('=(', at + 1) ? [...parts, detail.slice(start, at)] : null
    else if (depth === 0 && detail.startsWith(', ', at)) {
      parts.push(detail.slice(start, at))
      start = at + 2
    }
  }
  return null
}

/** `email`, for an index that ignores case: `lower(email)`, or `lower(email::text)` for types other than text. */
const columnIn = (part: string): string =>
  (/^lower\(\(?(.*?)\)?(?:::text)?\)$/s.exec(part)?.[1] ?? part).replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
