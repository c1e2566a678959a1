import { locale } from '../language'
import type { Strings } from '../strings/en'
import { formatDate, formatTimeOfDay, formatTimestamp, type TimeForm } from './format'
import { normalizeDate, normalizeTime, toLocalTimestamp, toUtcTimestamp } from './timestamps'
import { checkDate, checkTime, checkTimestamp, type InputProblem, UnreadableInput } from './unreadable-input'

const dateKinds = ['date', 'time', 'dateTime'] as const
export type DateKind = (typeof dateKinds)[number]

export const isDateKind = (kind: string): kind is DateKind => (dateKinds as readonly string[]).includes(kind)

/** Parses a date or a time in the user's language; a date with a time becomes a timestamp in UTC. */
export function readTypedDate(kind: DateKind, text: string): string | UnreadableInput {
  const typed = text.trim()
  if (kind === 'date') return checkDate(normalizeDate(typed, locale()), typed)
  if (kind === 'time') return checkTime(normalizeTime(typed), typed)
  return checkTimestamp(toUtcTimestamp(normalizeTime(normalizeDate(typed, locale()))), typed)
}

/**
 * The text for editing a date or a time: in the format of the column or of the user's language if that shows the whole
 * value, else the value itself.
 * @param value in ISO form; with a time also in the browser's time zone
 */
export function toTypedDate(kind: DateKind, value: string, form: TimeForm = {}): string {
  const local = kind === 'dateTime' ? toLocalTimestamp(value) : value
  return candidates(kind, local, form).find((text) => isSameDate(kind, text, local)) ?? value
}

function candidates(kind: DateKind, local: string, form: TimeForm): string[] {
  if (kind === 'date') return [formatDate(`${local}T00:00:00`, form)]
  if (kind === 'time') return [formatTimeOfDay(local, form)]
  return [formatTimestamp(local, form), formatTimestamp(local), formatTimestamp(local, {}, 'medium'), local.replace('T', ' ')]
}

function isSameDate(kind: DateKind, text: string, local: string): boolean {
  const read = readTypedDate(kind, text)
  if (read instanceof UnreadableInput) return false
  if (kind === 'time') return read.padEnd(8, ':00') === local.padEnd(8, ':00')
  return (kind === 'date' ? read : toLocalTimestamp(read)) === local
}

/** The message about input that cannot be read, with an example in the user's language. */
export function problemMessage(words: Strings['grid']['inputProblems'], problem: InputProblem): string {
  const message = words[problem]
  if (typeof message === 'string') return message
  return message(problem === 'date' ? formatDate(exampleTime) : formatTimestamp(exampleTime))
}

/** The message about text that is not a date; undefined for dates and for empty text. */
export function dateProblem(words: Strings['grid']['inputProblems'], kind: DateKind, text: string): string | undefined {
  const read = text.trim() === '' ? '' : readTypedDate(kind, text)
  return read instanceof UnreadableInput ? problemMessage(words, read.problem) : undefined
}

/** How a date is typed in digits in the user's language, such as DD/MM/YYYY. */
export const datePattern = (parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>>): string =>
  new Intl.DateTimeFormat(locale(), { day: '2-digit', month: '2-digit', year: 'numeric' })
    .formatToParts()
    .map(({ type, value }) => parts[type] ?? value)
    .join('')

const exampleTime = '2026-12-31T14:30:00'
