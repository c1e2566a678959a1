import type { MessageLanguage } from '../../messages/message'
import { isDate } from '../../tables/column-types/date'
import { formTexts } from './form-text'

/** The problem of a date, with days as the browser shows them in the field. `problem` contains days in ISO form. */
export function dateProblemText(problem: string, value: unknown, language: MessageLanguage, locale: string): string {
  const days = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ calendar: 'gregory', timeZone: 'UTC' },
  })
  const written = (day: string) => days.format(new Date(day))
  if (value && !isDate(String(value))) return formTexts[language].notDate.replace('{day}', written('2026-12-31'))
  return problem.replace(/\d{4}-\d\d-\d\d/g, written)
}
