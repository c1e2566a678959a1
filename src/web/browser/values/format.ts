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

const dates = cachedByLocale((now) => new Intl.DateTimeFormat(now, { dateStyle: 'medium' }))
const timestamps = cachedByLocale((now) => new Intl.DateTimeFormat(now, { dateStyle: 'medium', timeStyle: 'short' }))
const times = cachedByLocale((now) => new Intl.DateTimeFormat(now, { timeStyle: 'short', timeZone: 'UTC' }))
const exactTimes = cachedByLocale((now) => new Intl.DateTimeFormat(now, { timeStyle: 'medium', timeZone: 'UTC' }))
const numbers = cachedByLocale((now) => new Intl.NumberFormat(now))
const relativeTimes = cachedByLocale((now) => new Intl.RelativeTimeFormat(now, { numeric: 'auto' }))

/** An invalid time is displayed as it is: the formatter would throw. */
function formatTime(format: () => Intl.DateTimeFormat, time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : format().format(date)
}

/** Formats RFC 3339 timestamps in the browser's time zone and the user's locale. */
export const formatDate = (time: string): string => formatTime(dates, time)

export const formatTimestamp = (time: string): string => formatTime(timestamps, time)

/** Formats a time of the day ("14:30:00") as timestamps have theirs. Fractions of seconds are displayed as they are. */
export function formatTimeOfDay(time: string): string {
  const [, minutes, seconds = ':00'] = /^(\d\d:\d\d)(:\d\d)?$/.exec(time) ?? []
  return minutes === undefined ? time : formatTime(seconds === ':00' ? times : exactTimes, `1970-01-01T${minutes}${seconds}Z`)
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
