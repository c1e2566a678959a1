import { locale } from '../language'

/** A format takes a hundred times as long to make as to use: each is kept as long as the language stays. */
function kept<T>(make: (locale: string) => T): () => T {
  let last: { locale: string; made: T } | null = null
  return () => {
    const now = locale()
    if (last?.locale !== now) last = { locale: now, made: make(now) }
    return last.made
  }
}

const dates = kept((now) => new Intl.DateTimeFormat(now, { dateStyle: 'medium' }))
const moments = kept((now) => new Intl.DateTimeFormat(now, { dateStyle: 'medium', timeStyle: 'short' }))
const numbers = kept((now) => new Intl.NumberFormat(now))
const distances = kept((now) => new Intl.RelativeTimeFormat(now, { numeric: 'auto' }))

/** What is no time is shown as it is: a format would throw. */
function formatTime(format: () => Intl.DateTimeFormat, time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : format().format(date)
}

/** Times are shown in the zone of the browser, as its user writes them. Each takes an RFC 3339 text. */
export const formatDate = (time: string): string => formatTime(dates, time)

export const formatMoment = (time: string): string => formatTime(moments, time)

export const formatNumber = (value: number): string => numbers().format(value)

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** "1.4 MB", in steps of a thousand. */
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
  return distances().format(Math.trunc(seconds / size), unit)
}

/** "1:05", for counting down. */
export const formatCountdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
