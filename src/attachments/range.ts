import type { Slice } from '../object-store/slice'

/**
 * Reads the header `Range` (RFC 9110 section 14.2): one range of bytes, or null for the whole file. A header with
 * several ranges or an unknown unit is ignored, so the response holds the whole file (SEC-58).
 * @returns 'unsatisfiable' for a range outside of a file of this size, and for one that cannot be parsed
 */
export function readByteRange(header: string | null, size: number): Slice | 'unsatisfiable' | null {
  const [, asked] = /^bytes=(.*)$/i.exec(header?.trim() ?? '') ?? []
  if (asked === undefined || asked.includes(',')) return null
  const [, first, last] = /^\s*(\d*)-(\d*)\s*$/.exec(asked) ?? []
  if (first === undefined || last === undefined || first + last === '') return 'unsatisfiable'
  // `-5` is the last five bytes.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return start < end ? { start, end } : 'unsatisfiable'
}
