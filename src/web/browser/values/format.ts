import { locale } from '../language'

/** Creating a formatter takes a hundred times as long as using it, so each is cached per locale. */
function cachedByLocale<T>(make: (locale: string) => T): () => T {
  let last: { locale: string; formatter: T } | null = null
  return () => {
    const now = locale()
    if (last?.locale !== now) last = { locale: now, formatter: make(now) }
    return last.formatter
  }
}

const numbers = cachedByLocale((now) => new Intl.NumberFormat(now))
const relativeTimes = cachedByLocale((now) => new Intl.RelativeTimeFormat(now, { numeric: 'auto' }))

/** How a column displays dates and times; the default is the format of the user's language. */
export type TimeForm = { dateFormat?: unknown; timeFormat?: unknown }

const timeFormats = new Map<string, Intl.DateTimeFormat>()

function timeFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${Object.entries(options).join()}`
  const format = timeFormats.get(key) ?? new Intl.DateTimeFormat(locale(), options)
  timeFormats.set(key, format)
  return format
}

const inDigits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

const clock = ({ timeFormat }: TimeForm): Intl.DateTimeFormatOptions =>
  timeFormat === '24' ? { hourCycle: 'h23' } : timeFormat === '12' ? { hourCycle: 'h12' } : {}

function formatDay(date: Date, { dateFormat }: TimeForm): string {
  if (dateFormat === 'iso') return isoDay(date)
  return timeFormat(dateFormat === 'short' ? inDigits : { dateStyle: dateFormat === 'long' ? 'long' : 'medium' }).format(date)
}

const twoDigits = (number: number) => String(number).padStart(2, '0')
const isoDay = (date: Date) =>
  `${String(date.getFullYear()).padStart(4, '0')}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`

/** Formats RFC 3339 timestamps in the browser's time zone and the user's locale. Other text is returned unchanged. */
export function formatDate(time: string, form: TimeForm = {}): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : formatDay(date, form)
}

export function formatTimestamp(time: string, form: TimeForm = {}, timeStyle: 'short' | 'medium' = 'short'): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  const { dateFormat } = form
  // If both have a style, the language joins them in its own way, such as “at” in English.
  if (dateFormat === undefined || dateFormat === 'long')
    return timeFormat({ dateStyle: dateFormat ?? 'medium', timeStyle, ...clock(form) }).format(date)
  return `${formatDay(date, form)} ${timeFormat({ timeStyle, ...clock(form) }).format(date)}`
}

/** The time with the day of the week, seconds and the time zone. */
export const formatExactTime = (time: string): string => timeFormat({ dateStyle: 'full', timeStyle: 'long' }).format(new Date(time))

/** Formats a time of day ("14:30:00") like the time of a timestamp. Fractions of seconds are displayed unchanged. */
export function formatTimeOfDay(time: string, form: TimeForm = {}): string {
  const [, minutes, seconds = ':00'] = /^(\d\d:\d\d)(:\d\d)?$/.exec(time) ?? []
  if (minutes === undefined) return time
  const timeStyle = seconds === ':00' ? 'short' : 'medium'
  return timeFormat({ timeStyle, timeZone: 'UTC', ...clock(form) }).format(new Date(`1970-01-01T${minutes}${seconds}Z`))
}

export const formatNumber = (value: number): string => numbers().format(value)

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** "1.4 MB", in powers of 1000. */
export function formatBytes(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const options = { style: 'unit', unit: units[step], unitDisplay: step ? 'short' : 'long', maximumFractionDigits: step ? 1 : 0 } as const
  return (bytes / 1000 ** step).toLocaleString(locale(), options)
}

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "3 minutes ago". @param now in milliseconds */
export function formatAgo(time: string, now: number): string {
  const seconds = (new Date(time).getTime() - now) / 1000
  const [unit, size] = steps.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const)
  return relativeTimes().format(Math.trunc(seconds / size), unit)
}

/** "1:05", for a countdown. */
export const formatCountdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
