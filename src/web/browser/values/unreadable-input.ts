import type { Strings } from '../strings/en'

export type InputProblem = keyof Strings['grid']['inputProblems']

/** Input that its column cannot hold, and that is not sent. */
export class UnreadableInput {
  constructor(
    readonly text: string,
    readonly problem: InputProblem,
  ) {}
}

const isoDate = /^(\d{4})-(\d\d)-(\d\d)$/

/** Browsers parse some dates that do not exist: 31 February as 3 March. */
function isDay(date: string): boolean {
  const [, year, month, day] = isoDate.exec(date)?.map(Number) ?? []
  const at = new Date(0)
  at.setUTCFullYear(year!, month! - 1, day)
  return at.getUTCMonth() === month! - 1 && at.getUTCDate() === day && year! > 0
}

/** @param date in ISO format, if it is a date @param text as typed */
export function checkDate(date: string, text: string): string | UnreadableInput {
  if (isoDate.test(date)) return isDay(date) ? date : new UnreadableInput(text, 'noSuchDay')
  // Digits that are not a date in any order stay as typed.
  return new UnreadableInput(text, /^\d{1,4}([-./])\d{1,2}\1\d{1,4}$/.test(date) ? 'noSuchDay' : 'date')
}

/** @param time in UTC, if it is a timestamp @param text as typed */
export function checkTimestamp(time: string, text: string): string | UnreadableInput {
  if (/[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d(:?\d\d)?)$/i.test(time)) {
    return isDay(time.slice(0, 10)) ? time : new UnreadableInput(text, 'noSuchDay')
  }
  const day = time.slice(0, 10)
  return new UnreadableInput(text, isoDate.test(day) && !isDay(day) ? 'noSuchDay' : 'dateTime')
}

export const checkTime = (time: string, text: string): string | UnreadableInput =>
  /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/.test(time) ? time : new UnreadableInput(text, 'time')
