import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeDefinition } from './definition'
import { plainNumber } from './integers'
import { boundsProblem, boundsProblems, rangeRules } from './options/bounds'
import { decimals, thousands } from './options/display'

const numberPattern = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,9})?$/i

const floatProblem = (value: unknown): Message | null => {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && numberPattern.test(value))
  if (!isNumber) return translatable('must be a number')
  // JSON has neither NaN nor Infinity, and a number that is too small would become 0.
  const number = Number(value)
  const isLost = number === 0 && typeof value === 'string' && /[1-9]/.test(value.replace(/e.*/i, ''))
  return Number.isFinite(number) && !isLost ? null : translatable('is out of the range of 64-bit floating point numbers')
}

const bound = t.Optional(t.Number())

export const float: ColumnTypeDefinition = {
  description: 'Floating point number of 64 bits (IEEE 754), for measurements; money belongs in a decimal.',
  options: t.Object({ min: bound, max: bound, thousands, decimals }, { additionalProperties: false }),
  optionProblems: (options) => boundsProblems(options, floatProblem, (min, max) => min > max),
  sqlType: () => 'double precision',
  problem: (value, options) => floatProblem(value) ?? boundsProblem(Number(value), options, Number),
  rules: (value, options) =>
    rangeRules(value, options, 'double precision', {
      conditions: [`${value} > '-Infinity'::double precision`, `${value} < 'Infinity'::double precision`],
      message: translatable('must be a finite number'),
    }),
  valueSchema: ({ min, max }) => ({
    type: ['number', 'string'],
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }),
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: plainNumber,
    // Compares the text of the float, since its cast to numeric keeps only 15 digits.
    isExact: (text) => `(${text}::double precision)::text::numeric = ${text}::numeric`,
    expectation: translatable('must be a number'),
  },
}
