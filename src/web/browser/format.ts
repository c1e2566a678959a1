import { locale } from './language'

/** Times are shown in the zone of the browser, as its user writes them. Each takes an RFC 3339 text. */
export const formatDate = (time: string): string => new Date(time).toLocaleDateString(locale(), { dateStyle: 'medium' })

export const formatMoment = (time: string): string => new Date(time).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' })

export const formatNumber = (value: number): string => value.toLocaleString(locale())

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
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}

/** "1:05", for counting down. */
export const formatCountdown = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
