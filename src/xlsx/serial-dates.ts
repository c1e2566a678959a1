/** Days and times as workbooks hold them: days since the end of 1899, and parts of a day. */

const millisecondsPerDay = 86_400_000

/** Excel takes 1900 for a leap year, so serial numbers up to its 29 February (60) are one less than the days. */
const falseLeapDay = 60
const epoch1900 = Date.UTC(1899, 11, 30)
const epoch1904 = Date.UTC(1904, 0, 1)

/** What a cell shows of its serial number. */
export type DateForm = 'date' | 'dateTime' | 'time' | 'duration'

/**
 * A serial number as ISO 8601 text: `2026-01-31`, `2026-01-31T14:30:00`, `14:30:00`; durations as hours, `26:30:00`.
 * @param has1904 whether the workbook counts from 1904, as old ones of the Macintosh do
 * @returns null for what is no date, as a negative number
 */
export function serialToText(serial: number, form: DateForm, has1904: boolean): string | null {
  // To the millisecond: a third is not stored exactly.
  const total = Math.round(serial * millisecondsPerDay)
  if (form === 'duration') return durationText(total)
  const milliseconds = total % millisecondsPerDay
  const days = Math.floor(total / millisecondsPerDay)
  const time = timeText(milliseconds)
  if (form === 'time') return total < 0 ? null : time
  if (days < 0 || (!has1904 && days === falseLeapDay) || days > 2_958_465) return null
  const offset = !has1904 && days < falseLeapDay ? 1 : 0
  const day = new Date((has1904 ? epoch1904 : epoch1900) + (days + offset) * millisecondsPerDay).toISOString().slice(0, 10)
  // A day in the form of a moment is a day.
  return form === 'date' || milliseconds === 0 ? day : `${day}T${time}`
}

const two = (number: number) => String(number).padStart(2, '0')

function timeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  const fraction = milliseconds % 1000 ? `.${String(milliseconds % 1000).padStart(3, '0')}` : ''
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`
}

function durationText(milliseconds: number): string {
  return `${milliseconds < 0 ? '-' : ''}${timeText(Math.abs(milliseconds))}`
}

/**
 * @param text a date, a local date and time (`T` or a space between them), or a time
 * @returns null before March 1900, where programs count differently
 */
export function textToSerial(text: string): number | null {
  const [, day, time = ''] = /^(\d{4}-\d\d-\d\d)?(?:[T ]?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/.exec(text) ?? []
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const fraction = (hours * 3600 + minutes * 60 + seconds) / 86_400
  if (day === undefined) return time ? fraction : null
  const days = (Date.parse(`${day}T00:00:00Z`) - epoch1900) / millisecondsPerDay
  return days > falseLeapDay ? days + fraction : null
}
