import { locale } from '../../language'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** "1.2 MB", as the browser's user writes it. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** step
  const style = {
    style: 'unit',
    unit: units[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  } as const
  return new Intl.NumberFormat(locale(), style).format(value)
}
