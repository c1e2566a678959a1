const local = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?))?$/
const two = (value: number) => String(value).padStart(2, '0')

/**
 * The value of a `datetime-local` input for a timestamp, in the browser's time zone. Timestamps that such an input
 * cannot represent (microseconds, "infinity", years before 1 or after 9999) are returned unchanged.
 * @param time RFC 3339
 */
export function toLocalTimestamp(time: string): string {
  const at = new Date(time)
  const year = at.getFullYear()
  // Written so that NaN fails the comparison.
  if (!(year >= 1 && year <= 9999) || /\.\d{3}0*[1-9]/.test(time)) return time
  const milliseconds = at.getMilliseconds() ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''
  const seconds = at.getSeconds() || milliseconds ? `:${two(at.getSeconds())}${milliseconds}` : ''
  return `${String(year).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/**
 * The inverse: converts a local timestamp to UTC, with all digits of its second. Other text is returned unchanged, and
 * the service validates it.
 */
export function toUtcTimestamp(text: string): string {
  const [, year, month, day, time = '00:00', fraction = ''] = local.exec(text.trim()) ?? []
  const at = new Date(`${year}-${month}-${day}T${time}`)
  // A browser may parse 30 February as 2 March.
  if (Number.isNaN(at.getTime()) || at.getDate() !== Number(day)) return text
  const utc = at.toISOString()
  return fraction.length > 3 ? utc.replace(/\d{3}Z$/, `${fraction}Z`) : utc
}

/**
 * Converts a date at the beginning of a text to ISO format: "31.1.2026" in every locale, "1/31/2026" in the order of
 * the locale. Spreadsheets copy dates in these formats.
 * @param isMonthFirst the order of dates with slashes
 */
export function normalizeDate(text: string, isMonthFirst: boolean): string {
  const [whole = '', first = '', mark, second = '', year] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?=$|[ ,T])/.exec(text) ?? []
  if (whole === '') return text
  const [day, month] = mark === '/' && isMonthFirst ? [second, first] : [first, second]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${text.slice(whole.length).replace(/^,/, '')}`
}

const dateInputs: Record<string, [control: 'date' | 'time' | 'datetime-local', holds: RegExp]> = {
  date: ['date', /^(\d{4}-\d\d-\d\d)?$/],
  time: ['time', /^([0-2]\d:[0-5]\d(:[0-5]\d(\.\d{1,3})?)?)?$/],
  dateTime: ['datetime-local', /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/],
}

/** The type of the browser's date or time input, if it can represent the value. */
export function dateInputType(type: string, text: string) {
  const [control, holds] = dateInputs[type] ?? []
  return holds?.test(text) ? control : undefined
}

/** "Europe/Berlin". */
export const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
