import { t } from 'elysia'
import { literal } from '../sql-text'
import { boundsProblem, boundsProblems, rangeRules } from './bounds'
import type { ColumnTypeDefinition } from './definition'

/** As JSON writes numbers, a little looser. PostgreSQL itself would read 0x1F and 1_000, too. */
const numberPattern = '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$'

/**
 * SQL: a text that is a number → its digits without exponent and without zeros at the end, else null.
 * So 12.00 is the whole number that it is, and 12.5 is none.
 */
export const plainNumber = (text: string): string =>
  `case when btrim(${text}) ~ ${literal(numberPattern)} then trim_scale(btrim(${text})::numeric)::text end`

/** Whole numbers from -most-1 to most, as a JSON number or a string of digits (which keeps all of them). */
const wholeNumberProblem = (value: unknown, most: bigint): string | null => {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,30}$/.test(value)
  if (!isWhole) return 'must be a whole number'
  const number = wholeNumber(value as number | string, most)
  return number > most || number < -most - 1n ? `must be from ${-most - 1n} to ${most}` : null
}

/**
 * The largest bigint is no JavaScript number; the next one stands for it here, and PostgreSQL reads the digits that
 * were sent.
 */
const wholeNumber = (value: number | string, most: bigint): bigint => (value === Number(most) ? most : BigInt(value))

/** @param sqlType `integer` or `bigint`; `most` is its largest value */
function wholeNumbers(sqlType: string, most: bigint, description: string): ColumnTypeDefinition {
  const read = (bound: string | number) => wholeNumber(bound, most)
  const bound = t.Optional(
    t.Union([t.Integer(), t.String({ maxLength: 20 })], { description: 'A whole number; as a string where it has many digits.' }),
  )
  return {
    description,
    options: t.Object({ min: bound, max: bound }, { additionalProperties: false }),
    optionProblems: (options) =>
      boundsProblems(
        options,
        (value) => wholeNumberProblem(value, most),
        (min, max) => read(min) > read(max),
      ),
    sqlType: () => sqlType,
    isWhole: true,
    problem: (value, options) =>
      wholeNumberProblem(value, most) ?? boundsProblem(wholeNumber(value as number | string, most), options, read),
    rules: (value, options) => rangeRules(value, options, sqlType, { conditions: [], message: '' }),
    valueSchema: ({ min, max }) => ({
      type: ['integer', 'string'],
      ...(typeof min === 'number' ? { minimum: min } : {}),
      ...(typeof max === 'number' ? { maximum: max } : {}),
    }),
    conversion: {
      toText: (value) => `${value}::text`,
      fromText: plainNumber,
      canCast: (text) => `${text} !~ '[.]' and ${text}::numeric between ${-most - 1n} and ${most}`,
      expectation: 'must be a whole number that is not too large',
    },
  }
}

export const integer = wholeNumbers('integer', 2n ** 31n - 1n, 'Whole number from -2147483648 to 2147483647.')

export const bigint = wholeNumbers(
  'bigint',
  2n ** 63n - 1n,
  'Whole number of 64 bits. Send it as a string where your language keeps fewer digits.',
)

export const autoNumber: ColumnTypeDefinition = {
  description: 'Counted by the database: 1, 2, 3 … with gaps where records were refused or deleted.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'bigint',
  isWhole: true,
  problem: () => 'is counted by the database',
  valueSchema: () => ({ type: 'integer', readOnly: true }),
  conversion: { toText: (value) => `${value}::text`, expectation: '' },
}
