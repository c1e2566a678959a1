/** Days and times as workbooks hold them: days since the end of 1899, and parts of a day. */

const millisecondsPerDay = 86_400_000
const microsecondsPerDay = 86_400_000_000

/** Excel treats 1900 as a leap year, so serial numbers up to its 29 February (60) are one less than the days. */
const falseLeapDay = 60
const epoch1900 = Date.UTC(1899, 11, 30)
const epoch1904 = Date.UTC(1904, 0, 1)

/** How a cell displays its serial number. */
export type DateForm = 'date' | 'dateTime' | 'time' | 'duration'

/**
 * A serial number as ISO 8601 text: `2026-01-31`, `2026-01-31T14:30:00`, `14:30:00`; durations as hours, `26:30:00`.
 * @param has1904 whether the workbook counts from 1904, as old Macintosh workbooks do
 * @param isExact whether the number has all digits of a microsecond. Others are read to the millisecond, since a third,
 * for example, is not stored exactly.
 * @returns null if the number is not a date, such as a negative one
 */
export function serialToText(serial: number, form: DateForm, has1904: boolean, isExact = false): string | null {
  if (form === 'duration') return `${serial < 0 ? '-' : ''}${timeText(Math.round(Math.abs(serial) * millisecondsPerDay) * 1000)}`
  if (serial < 0) return null
  const { days, microseconds } = isExact ? splitExactly(serial) : splitToMillisecond(serial)
  const time = timeText(microseconds)
  if (form === 'time') return time
  if ((!has1904 && days === falseLeapDay) || days > 2_958_465) return null
  const offset = !has1904 && days < falseLeapDay ? 1 : 0
  const day = new Date((has1904 ? epoch1904 : epoch1900) + (days + offset) * millisecondsPerDay).toISOString().slice(0, 10)
  // A whole day that is formatted as a timestamp counts as a date.
  return form === 'date' || microseconds === 0 ? day : `${day}T${time}`
}

type SplitSerial = { days: number; microseconds: number }

function splitToMillisecond(serial: number): SplitSerial {
  const total = Math.round(serial * millisecondsPerDay)
  return { days: Math.floor(total / millisecondsPerDay), microseconds: (total % millisecondsPerDay) * 1000 }
}

/** Far from 1900 a number holds milliseconds, but not each microsecond. */
function splitExactly(serial: number): SplitSerial {
  const plain = splitToMillisecond(serial)
  if (plain.days + plain.microseconds / microsecondsPerDay === serial) return plain
  const days = Math.floor(serial)
  const microseconds = Math.round((serial - days) * microsecondsPerDay)
  return { days: days + Math.floor(microseconds / microsecondsPerDay), microseconds: microseconds % microsecondsPerDay }
}

const two = (number: number) => String(number).padStart(2, '0')

function timeText(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1_000_000)
  const part = microseconds % 1_000_000
  const fraction = part ? `.${String(part).padStart(6, '0').replace(/000$/, '')}` : ''
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`
}

/**
 * @param text a date, a local date and time (`T` or a space between them), or a time
 * @returns null before March 1900, where programs count differently, for `24:00:00`, and for microseconds that
 * the number would lose
 */
export function textToSerial(text: string): number | null {
  const [, day, time = ''] = /^(\d{4}-\d\d-\d\d)?(?:[T ]?(\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?))?$/.exec(text) ?? []
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const microseconds = Math.round((hours * 3600 + minutes * 60 + seconds) * 1_000_000)
  // Spreadsheets show the end of a day as its beginning.
  if (day === undefined) return time && hours < 24 ? microseconds / microsecondsPerDay : null
  const days = (Date.parse(`${day}T00:00:00Z`) - epoch1900) / millisecondsPerDay
  if (days <= falseLeapDay) return null
  const serial = days + microseconds / microsecondsPerDay
  const read = splitExactly(serial)
  return read.days === days && read.microseconds === microseconds ? serial : null
}
