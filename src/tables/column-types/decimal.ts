import type { TObject } from '@sinclair/typebox'
import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeDefinition, OptionProblem, Options } from './definition'
import { plainNumber } from './integers'
import { boundsProblems, rangeRules } from './options/bounds'
import { thousands } from './options/display'

/**
 * PostgreSQL writes numbers without exponents: a few characters could request a hundred thousand digits in every
 * response.
 */
const maxExponent = 400

const isHugeExponent = (digits: string): boolean => Math.abs(Number(digits)) > maxExponent

/** The rest of a sentence that begins with the number. */
export const hugeExponent = translatable('has an exponent beyond {maxExponent}', { maxExponent })

/** @param text valid JSON, as it was sent: JavaScript reads 1e-999 as 0, and PostgreSQL does not */
export function hasHugeExponent(text: string): boolean {
  if (!/\de[+-]?\d{3}/i.test(text)) return false
  // Without escapes, each quotation mark begins or ends a string, so every other piece is outside of all strings.
  const pieces = text.replaceAll(/\\./g, '').split('"')
  return pieces.some((piece, index) => index % 2 === 0 && piece.matchAll(/\de([+-]?\d+)/gi).some(([, digits]) => isHugeExponent(digits!)))
}

type DecimalOptions = { precision?: number; scale?: number }

const decimalProblem = (value: unknown, options: Options): Message | null => {
  if (typeof value === 'number' && !Number.isFinite(value)) return translatable('is too large for a JSON number; send it as a string')
  const [, whole, fraction = '', exponent = '0'] = /^-?(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/i.exec(decimalText(value)) ?? []
  if (whole === undefined || whole + fraction === '') return translatable('must be a number')
  if (isHugeExponent(exponent)) return hugeExponent
  const { precision, scale = 0 } = options as DecimalOptions
  const room = precision === undefined ? 1000 : precision - scale
  if (wholeDigits(whole, fraction, Number(exponent)) > room)
    return translatable('must have at most {room} digits before the decimal point', { room })
  const isTooFine = precision !== undefined && fractionDigits(whole, fraction, Number(exponent)) > scale
  return isTooFine ? translatable('must have at most {scale} digits after the decimal point', { scale }) : null
}

const decimalText = (value: unknown): string => (typeof value === 'number' || typeof value === 'string' ? String(value) : '')

/** The number of digits before the point; 0 or less for a number below 1. */
function wholeDigits(whole: string, fraction: string, exponent: number): number {
  const digits = (whole + fraction).replace(/^0+/, '')
  return digits === '' ? 0 : digits.length - fraction.length + exponent
}

/** The number of significant digits after the point; 0 or less for a whole number. */
function fractionDigits(whole: string, fraction: string, exponent: number): number {
  const kept = (whole + fraction).replace(/(?<!0)0+$/, '')
  return kept === '' ? 0 : kept.length - whole.length - exponent
}

const sqlType = (options: Options): string => {
  const { precision, scale } = options as DecimalOptions
  return precision === undefined ? 'numeric' : `numeric(${precision}, ${scale ?? 0})`
}

const optionProblems = (options: Options): OptionProblem[] => {
  const { precision, scale } = options as DecimalOptions
  if (scale !== undefined && (precision === undefined || scale > precision)) {
    return [{ path: '/scale', message: translatable('scale needs a precision that is at least as large.') }]
  }
  const isAbove = (min: string | number, max: string | number) => Number(min) > Number(max)
  return boundsProblems(options, (value) => decimalProblem(value, options), isAbove)
}

const bound = t.Optional(t.Union([t.Number(), t.String({ maxLength: 1000 })]))

const tooManyDigits = translatable('must be a number with no more digits than the column has')

export const decimal: ColumnTypeDefinition = {
  description:
    'Exact decimal number. precision: total digits; scale: decimal places. A value with more of either is refused. Without these options any number of digits is stored.',
  options: t.Object(
    {
      precision: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
      scale: t.Optional(t.Integer({ minimum: 0, maximum: 1000 })),
      min: bound,
      max: bound,
      thousands,
    },
    { additionalProperties: false },
  ),
  optionProblems,
  sqlType,
  problem: decimalProblem,
  rules: (value, options) =>
    rangeRules(value, options, 'numeric', {
      conditions: [`${value} > '-Infinity'::numeric`, `${value} < 'Infinity'::numeric`],
      message: translatable('must be a finite number'),
    }),
  valueSchema: ({ min, max }) => ({
    type: ['number', 'string'],
    ...(typeof min === 'number' ? { minimum: min } : {}),
    ...(typeof max === 'number' ? { maximum: max } : {}),
  }),
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: plainNumber,
    canCast: (text, options) => {
      const { precision, scale = 0 } = options as DecimalOptions
      return precision === undefined ? 'true' : `abs(${text}::numeric) < 1e${precision - scale}`
    },
    // A cast rounds to the scale without an error.
    isExact: (text, options) => {
      const { precision, scale = 0 } = options as DecimalOptions
      return precision === undefined ? 'true' : `pg_catalog.scale(pg_catalog.trim_scale(${text}::numeric)) <= ${scale}`
    },
    expectation: tooManyDigits,
    expectationOf: ({ precision }) => (precision === undefined ? translatable('must be a number') : tooManyDigits),
  },
}

const { properties } = decimal.options as TObject

/** Displayed as an amount: the currency belongs to the column, the number to the record. */
export const currency: ColumnTypeDefinition = {
  ...decimal,
  description:
    'Amount of money: an exact number as of the type decimal. currency: its code of three letters (ISO 4217), by which pages show it.',
  options: t.Object(
    { ...properties, currency: t.Optional(t.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217, as EUR' })) },
    { additionalProperties: false },
  ),
}

/** A share of the whole: 0.25 is displayed and typed as 25 %. */
export const percent: ColumnTypeDefinition = {
  ...decimal,
  description: 'A share of the whole, an exact number: 0.25 is shown as 25 %.',
  options: t.Object({ min: bound, max: bound }, { additionalProperties: false }),
  conversion: { ...decimal.conversion!, fromText: percentOf },
}

/** SQL: `25 %` → 0.25; another number as it is. */
function percentOf(text: string): string {
  const share = `regexp_replace(btrim(${text}), ' *%$', 'e-2')`
  return `case when ${text} ~ '%' then ${plainNumber(share)} else ${plainNumber(text)} end`
}
