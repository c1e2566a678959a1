const local = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?))?$/
const two = (value: number) => String(value).padStart(2, '0')

/**
 * A moment as a control of the type `datetime-local` takes it, in the zone of the browser; without the parts of a second that are none.
 * What such a control cannot hold whole (microseconds, "infinity", years before 1 or after 9999) stays as it came.
 * @param time RFC 3339
 */
export function localMoment(time: string): string {
  const at = new Date(time)
  const year = at.getFullYear()
  // Not a number in the first place: then every comparison is false.
  if (!(year >= 1 && year <= 9999) || /\.\d{3}0*[1-9]/.test(time)) return time
  const milliseconds = at.getMilliseconds() ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''
  const seconds = at.getSeconds() || milliseconds ? `:${two(at.getSeconds())}${milliseconds}` : ''
  return `${String(year).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/** The other way: a moment of the user's zone in UTC, with all digits of its second. Any other text as it is, for the service to judge. */
export function utcMoment(text: string): string {
  const [, year, month, day, time = '00:00', fraction = ''] = local.exec(text.trim()) ?? []
  const at = new Date(`${year}-${month}-${day}T${time}`)
  // A browser may take the 30th of February for the 2nd of March.
  if (Number.isNaN(at.getTime()) || at.getDate() !== Number(day)) return text
  const utc = at.toISOString()
  return fraction.length > 3 ? utc.replace(/\d{3}Z$/, `${fraction}Z`) : utc
}

/**
 * What a text begins with as a day, if people would write one so: "31.1.2026" wherever they are, "1/31/2026" in the order of their language. Spreadsheets copy days so.
 * @param isMonthFirst of what is written with slashes
 */
export function withPlainDay(text: string, isMonthFirst: boolean): string {
  const [whole = '', first = '', mark, second = '', year] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?=$|[ ,T])/.exec(text) ?? []
  if (whole === '') return text
  const [day, month] = mark === '/' && isMonthFirst ? [second, first] : [first, second]
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${text.slice(whole.length).replace(/^,/, '')}`
}

const native: Record<string, [control: 'date' | 'time' | 'datetime-local', holds: RegExp]> = {
  date: ['date', /^(\d{4}-\d\d-\d\d)?$/],
  time: ['time', /^([0-2]\d:[0-5]\d(:[0-5]\d(\.\d{1,3})?)?)?$/],
  dateTime: ['datetime-local', /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/],
}

/** The browser's own control for a text of a column's type, if it has one and the control holds the text whole. */
export function momentControl(type: string, text: string) {
  const [control, holds] = native[type] ?? []
  return holds?.test(text) ? control : undefined
}

/** "Europe/Berlin". */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
