import type { MessageLanguage } from '../messages/message'
import type { Column } from '../tables/model'

/** Whether a value of the column may have digits behind a decimal mark. */
const isFractional = ({ type }: Column): boolean => ['decimal', 'currency', 'percent', 'float'].includes(type)

/** Whether people who read this language write the column's values with a comma. */
export const hasCommaMark = (column: Column, language: MessageLanguage | null): boolean => language === 'de' && isFractional(column)

/**
 * A number as a page in this language has it, from the one with a point that the service takes, and the other way
 * round: both marks change places. So a mark that is not of the language is no number, and stands in the page again as
 * it was typed.
 */
export const withMarksOf = (column: Column, language: MessageLanguage | null, text: string): string =>
  hasCommaMark(column, language) ? text.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ',')) : text

/** Whether a text that was no number has marks that are not of its language. @param text with a point for its mark */
export const hasOtherMarks = (column: Column, text: string): boolean => isFractional(column) && text.includes(',')
