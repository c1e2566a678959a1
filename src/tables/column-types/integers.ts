import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, Options } from './definition'
import { boundsProblem, boundsProblems, rangeRules } from './options/bounds'
import { thousands } from './options/display'

/** JSON's notation of numbers, and a few more forms such as `+1` and `1.`. PostgreSQL also reads 0x1F and 1_000. */
const numberPattern = '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$'

/**
 * SQL that writes a number in a text without exponent and trailing zeros; null when the text is not a number. So 12.00
 * becomes a whole number, and 12.5 does not.
 */
export const plainNumber = (text: string): string =>
  `case when btrim(${text}) ~ ${literal(numberPattern)} then trim_scale(btrim(${text})::numeric)::text end`

/** Accepts whole numbers from -most-1 to most, as a JSON number or as a string, which keeps all digits. */
const wholeNumberProblem = (value: unknown, most: bigint): Message | null => {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,30}$/.test(value)
  if (!isWhole) return translatable('must be a whole number')
  const number = wholeNumber(value as number | string, most)
  return number > most || number < -most - 1n ? translatable('must be from {least} to {most}', { least: -most - 1n, most }) : null
}

/**
 * JavaScript has no number for the largest bigint, and rounds it up. The rounded number counts as the largest bigint
 * here; PostgreSQL reads the digits that the client sent.
 */
const wholeNumber = (value: number | string, most: bigint): bigint => (value === Number(most) ? most : BigInt(value))

/** JavaScript may have rounded such a number across a bound. The rule in the database compares the digits. */
const isRounded = (value: unknown): boolean => typeof value === 'number' && !Number.isSafeInteger(value)

/** @param sqlType `integer` or `bigint`; `most` is its largest value */
function wholeNumbers(sqlType: string, most: bigint, description: string): ColumnTypeDefinition {
  const read = (bound: string | number) => wholeNumber(bound, most)
  const bound = t.Optional(
    t.Union([t.Integer(), t.String({ maxLength: 20 })], { description: 'A whole number; as a string where it has many digits.' }),
  )
  return {
    description,
    options: t.Object({ min: bound, max: bound, thousands }, { additionalProperties: false }),
    optionProblems: (options) =>
      boundsProblems(
        options,
        (value) => wholeNumberProblem(value, most),
        (min, max) => read(min) > read(max),
      ),
    sqlType: () => sqlType,
    isWhole: true,
    problem: (value, options) =>
      wholeNumberProblem(value, most) ??
      (isRounded(value) ? null : boundsProblem(wholeNumber(value as number | string, most), options, read)),
    rules: (value, options) => rangeRules(value, options, sqlType, { conditions: [], message: null }),
    valueSchema: ({ min, max }) => ({
      type: ['integer', 'string'],
      ...(typeof min === 'number' ? { minimum: min } : {}),
      ...(typeof max === 'number' ? { maximum: max } : {}),
    }),
    conversion: {
      toText: (value) => `${value}::text`,
      fromText: plainNumber,
      canCast: (text) => `${text} !~ '[.]' and ${text}::numeric between ${-most - 1n} and ${most}`,
      expectation: translatable('must be a whole number that is not too large'),
    },
  }
}

export const integer = wholeNumbers('integer', 2n ** 31n - 1n, 'Whole number from -2147483648 to 2147483647.')

export const bigint = wholeNumbers(
  'bigint',
  2n ** 63n - 1n,
  'Whole number of 64 bits. Send it as a string where your language keeps fewer digits.',
)

/** The bounds of a rating: from 1 to its option `max`. */
const ratingBounds = ({ max = 5 }: Options): Options => ({ min: 1, max })

export const rating: ColumnTypeDefinition = {
  ...integer,
  description: 'From 1 to 5, or to `max`, shown as stars.',
  options: t.Object(
    { max: t.Optional(t.Integer({ minimum: 1, maximum: 10, description: '5 by default.' })) },
    { additionalProperties: false },
  ),
  problem: (value, options) => integer.problem(value, ratingBounds(options)),
  rules: (value, options) => integer.rules!(value, ratingBounds(options)),
  valueSchema: (options) => integer.valueSchema(ratingBounds(options)),
}

export const autoNumber: ColumnTypeDefinition = {
  description: 'Counted by the database: 1, 2, 3 … with gaps where records were refused or deleted.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'bigint',
  isWhole: true,
  problem: () => translatable('is numbered by the database'),
  valueSchema: () => ({ type: 'integer', readOnly: true }),
  conversion: { toText: (value) => `${value}::text`, expectation: null },
}
