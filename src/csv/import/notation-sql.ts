import { familyOf } from '../../records/query/type-families'
import { clockSeconds } from '../../tables/column-types/time'
import type { Column } from '../../tables/model'
import type { Notation } from '../../tables/notation'
import { plainAmount, plainDate, plainPercent } from '../../tables/notation-sql'
import { canHoldFormula, withoutApostrophe } from '../formulas'
import { withZone } from './moments'

/** Whether apostrophes before formulas belong to the cells, or were added by an export (`formulas=escape`). */
export const formulaForms = ['keep', 'escape'] as const

/** `timezone` is the zone of timestamps in the file that have no offset. */
export type FileNotation = Notation & { timezone?: string; formulas?: (typeof formulaForms)[number] }

type WrittenColumn = Pick<Column, 'type' | 'comparedAs'>

/**
 * SQL: a cell as people write it → the form that PostgreSQL reads. Null if the notation does not apply to such a
 * column. A cell that cannot be converted is changed as little as possible, so that it is reported as unreadable.
 */
export function plainCell(
  { type, comparedAs }: WrittenColumn,
  cell: string,
  { dates, decimals, timezone, formulas }: FileNotation,
): string | null {
  if (type === 'duration') return clockSeconds(`(${decimals ? plainAmount(cell, decimals) : cell})`)
  if (type === 'percent') return decimals ? plainAmount(cell, decimals) : plainPercent(cell)
  if (decimals && familyOf(comparedAs) === 'number') return plainAmount(cell, decimals)
  if (timezone && isZoned(comparedAs)) return withZone(dates ? plainDate(cell, dates) : cell, timezone)
  if (dates && /^(date|timestamp)/.test(comparedAs)) return plainDate(cell, dates)
  return formulas === 'escape' && canHoldFormula(comparedAs) ? withoutApostrophe(cell) : null
}

/** Whether the type is PostgreSQL's timestamp with a time zone. */
export const isZoned = (comparedAs: string): boolean => comparedAs === 'timestamptz' || comparedAs === 'timestamp with time zone'
