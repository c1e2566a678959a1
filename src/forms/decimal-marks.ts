import type { MessageLanguage } from '../messages/message'
import type { Column } from '../tables/model'
import { readDuration, shiftPoint, writeDuration } from '../tables/units'

/** Whether values of the column may have decimal places. */
const isFractional = ({ type }: Column): boolean => ['decimal', 'currency', 'percent', 'float'].includes(type)

/** Whether readers of this language write the column's values with a comma. */
export const hasCommaMark = (column: Column, language: MessageLanguage | null): boolean => language === 'de' && isFractional(column)

/**
 * Converts a number between the form of a page in this language and the form with a point that the service takes: swaps
 * both marks. So a mark of another language makes the number invalid, and the page shows it again as it was typed.
 */
const withMarksOf = (column: Column, language: MessageLanguage | null, text: string): string =>
  hasCommaMark(column, language) ? text.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ',')) : text

/** Whether an invalid number has marks of another language. @param text with a point as its mark */
export const hasOtherMarks = (column: Column, text: string): boolean => isFractional(column) && text.includes(',')

/** A number with one comma as its mark that cannot mean thousands: `12,50`, but not `1,234`. */
export const plainComma = /^[-+]?(?![1-9]\d{0,2},\d{3}$)\d+,\d+$/

/** The text of a value as a page in this language shows it. The inverse of `withPoint`. */
export function withMarks(column: Column, language: MessageLanguage, text: string): string {
  if (column.type === 'duration') return writeDuration(text)
  return withMarksOf(column, language, column.type === 'percent' ? shiftPoint(text, 2) : text)
}

/**
 * A number that was typed on a page in this language, as the service takes it: with a point, a percent as a fraction, a
 * duration in seconds. The mark of the other language counts as the decimal mark if it can mean nothing else: the
 * keyboard of a phone may offer no other.
 */
export function withPoint(column: Column, language: MessageLanguage, typed: string): string {
  if (column.type === 'duration') return readDuration(typed) ?? typed
  const swapped = withMarksOf(column, language, column.type === 'percent' ? typed.replace(/^\+|(?<!\s)\s*%$/g, '') : typed)
  const text = isFractional(column) && plainComma.test(swapped) ? swapped.replace(',', '.') : swapped
  // Digits on both sides of the point, without which it would not be shifted.
  return column.type === 'percent' ? shiftPoint(text.replace(/^(-?)(?=\.\d)/, '$10').replace(/\.$/, ''), -2) : text
}
