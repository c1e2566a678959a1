import { type DateOrder, readDate } from '../../../tables/notation'

const local = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.(\d{1,9}))?)?))?$/
const two = (value: number) => String(value).padStart(2, '0')

/**
 * The value of a `datetime-local` input for a timestamp, in the browser's time zone. Timestamps that such an input
 * cannot represent (microseconds, "infinity", years before 1 or after 9999) are returned unchanged; those in the second
 * of two equal hours keep their offset.
 * @param time RFC 3339
 */
export function toLocalTimestamp(time: string): string {
  const at = new Date(time)
  const year = at.getFullYear()
  // Written so that NaN fails the comparison.
  if (!(year >= 1 && year <= 9999) || /\.\d{3}0*[1-9]/.test(time)) return time
  const milliseconds = at.getMilliseconds() ? `.${String(at.getMilliseconds()).padStart(3, '0')}` : ''
  const seconds = at.getSeconds() || milliseconds ? `:${two(at.getSeconds())}${milliseconds}` : ''
  const text = `${String(year).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
  // Clocks that are set back show an hour twice, and a text without an offset means the first one.
  return new Date(text + seconds).getTime() === at.getTime() ? text + seconds : `${text}${seconds || ':00'}${offsetOf(at)}`
}

/** "+01:00". */
function offsetOf(at: Date): string {
  const minutes = -at.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
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

/** Formatters are slow to create, and a form reads each of its dates after every key. */
function localeCache<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>()
  return (locale) => {
    const found = made.get(locale) ?? make(locale)
    made.set(locale, found)
    return found
  }
}

const monthNames = localeCache((locale): string[][] =>
  (['long', 'short'] as const).flatMap((month) =>
    [{ month, day: 'numeric' } as const, { month } as const].map((options) => {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
      const nameOf = (at: number) => format.formatToParts(at).find(({ type }) => type === 'month')!.value
      return Array.from({ length: 12 }, (_, index) => bareName(nameOf(Date.UTC(2026, index, 15))))
    }),
  ),
)

const bareName = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** "Jan 31, 2026", "31. Januar 2026": the names of the locale, and English ones. */
function readMonthName(text: string, locale: string): string | null {
  const pattern = /^(?:(\d{1,2})[. ]*(?:de )?(\p{L}+)|(\p{L}+)\.? (\d{1,2}))[., ]+(?:de )?(\d{4})(?=$|[ ,T])/u
  const [whole = '', day, name, otherName, otherDay, year] = pattern.exec(text) ?? []
  const month = bareName(name ?? otherName ?? '')
  const lists = month === '' ? [] : [...monthNames(locale), ...monthNames('en')]
  const place = lists.map((list) => list.indexOf(month)).find((index) => index >= 0)
  if (place === undefined) return null
  return `${year}-${two(place + 1)}-${(day ?? otherDay ?? '').padStart(2, '0')}${text.slice(whole.length).replace(/^,/, '')}`
}

/** The order of day, month and year in a numeric date of a locale. */
const dateOrder = localeCache((locale): DateOrder => {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type)
  const first = parts.find((type) => ['day', 'month', 'year'].includes(type))
  return first === 'month' ? 'mdy' : first === 'year' ? 'ymd' : 'dmy'
})

/**
 * Converts a date at the beginning of a text to ISO format: "31.1.2026" and "1/31/26" in the order of the locale (with
 * points the day comes first everywhere), or in the only order that yields a date; "Jan 31, 2026" with the names of the
 * locale. Other text is returned unchanged.
 */
export function normalizeDate(text: string, locale: string): string {
  const order = dateOrder(locale)
  const orders: DateOrder[] = /^\d{1,2}\./.test(text) ? ['dmy'] : [order, 'dmy', 'mdy']
  return orders.map((each) => readDate(text, each)).find((read) => read !== null) ?? readMonthName(text, locale) ?? text
}

/** Converts a time at the end of a text ("2:30 PM", "9:05") to 24 hours with two digits. Other text is unchanged. */
export function normalizeTime(text: string): string {
  return text.replace(
    /(^|[ T])(\d{1,2}):(\d\d)((?::\d\d(?:\.\d+)?)?)[ \u00a0\u202f]*([ap])?\.?(m)?\.?$/i,
    (whole, before, hour, minute, rest, half, m) => {
      if (Boolean(half) !== Boolean(m) || (half && (Number(hour) < 1 || Number(hour) > 12))) return whole
      const at = half ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
      return `${before}${two(at)}:${minute}${rest}`
    },
  )
}

/** "Europe/Berlin". */
export const localTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
