import type { MessageLanguage } from '../../messages/message'

/** A number of `exactJson`, which keeps its original text. */
const isRawNumber = (value: unknown): value is { rawJSON: string } => typeof value === 'object' && value !== null && 'rawJSON' in value

/** A one-line value as text, with every digit; null for other values. */
export function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (isRawNumber(value)) return value.rawJSON
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** The format of a number. Without `decimals`, it has all digits, with at least `leastDecimals` decimal places. */
export type NumberForm = { hasThousands: boolean; decimals?: number | undefined; leastDecimals?: number; currency?: string | undefined }

/** "1,234.50": formats the digits for the language. */
export function numberText(
  text: string,
  language: MessageLanguage,
  { hasThousands, decimals, leastDecimals = 0, currency }: NumberForm,
): string {
  const [plain, fraction = '', exponent] = /^-?\d+(?:\.(\d+))?(e-\d+)?$/.exec(text) ?? []
  if (plain === undefined || (decimals === undefined && (exponent !== undefined || fraction.length > 100))) return text
  const digits = decimals ?? Math.max(fraction.length, leastDecimals)
  const options = {
    ...(currency === undefined ? {} : { style: 'currency' as const, currency }),
    useGrouping: hasThousands,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: 'negative',
  } as const
  return new Intl.NumberFormat(localeOf(language), options).format(text as unknown as number)
}

/** The reader's time zone is unknown, so timestamps use the time zone of the service, and name it. */
export function momentText(
  text: string,
  language: MessageLanguage,
  timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return text
  const locale = localeOf(language)
  const zone = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' }).formatToParts(date)
  const name = zone.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return `${new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(date)} ${name}`
}

export function dayText(text: string, language: MessageLanguage): string {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  if (Number.isNaN(date.getTime())) return text
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeZone: 'UTC' }).format(date)
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** "1.4 MB", in powers of 1000. */
export function fileSizeText(bytes: number, language: MessageLanguage): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const options = { style: 'unit', unit: units[step], unitDisplay: step ? 'short' : 'long', maximumFractionDigits: step ? 1 : 0 } as const
  return new Intl.NumberFormat(localeOf(language), options).format(bytes / 1000 ** step)
}

/** English dates in the form that most readers outside the United States use. */
const localeOf = (language: MessageLanguage): string => (language === 'de' ? 'de' : 'en-GB')
