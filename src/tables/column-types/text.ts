import { t } from 'elysia'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, Conversion, OptionProblem, Options, Rule } from './definition'

type TextOptions = { minLength?: number; maxLength?: number; pattern?: string }

/** PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. */
export const textProblem = (value: unknown): string | null => {
  if (typeof value !== 'string') return 'must be a string'
  return value.includes('\0') || !value.isWellFormed() ? 'holds a NUL or a broken surrogate, which no text may' : null
}

/** Characters as PostgreSQL counts them: code points. */
const lengthOf = (value: string): number => {
  let count = 0
  for (const _ of value) count++
  return count
}

const lengthMessage = ({ minLength, maxLength }: TextOptions): string =>
  [...(minLength === undefined ? [] : [`at least ${minLength}`]), ...(maxLength === undefined ? [] : [`at most ${maxLength}`])].join(
    ' and ',
  )

const lengthProblem = (value: unknown, options: Options): string | null => {
  const wrong = textProblem(value)
  if (wrong) return wrong
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = options as TextOptions
  // UTF-16 has at least as many units, so most texts need no counting.
  const units = (value as string).length
  const isFine = units <= maxLength && (minLength === 0 || units >= 2 * minLength)
  const length = isFine ? units : lengthOf(value as string)
  return isFine || (length >= minLength && length <= maxLength) ? null : `must have ${lengthMessage(options as TextOptions)} characters`
}

const rules = (value: string, options: Options): Rule[] => {
  const { minLength, maxLength, pattern } = options as TextOptions
  const bounds = [
    ...(minLength === undefined ? [] : [`char_length(${value}) >= ${minLength}`]),
    ...(maxLength === undefined ? [] : [`char_length(${value}) <= ${maxLength}`]),
  ]
  const length = {
    name: 'length',
    condition: bounds.join(' and '),
    message: `must have ${lengthMessage(options as TextOptions)} characters`,
  } as const
  return [
    ...(bounds.length ? [length] : []),
    ...(pattern === undefined
      ? []
      : [{ name: 'pattern', condition: `${value} ~ ${literal(pattern)}`, message: 'does not match the pattern of this column' } as const]),
  ]
}

const optionProblems = (options: Options): OptionProblem[] => {
  const { minLength = 0, maxLength = minLength, pattern = '' } = options as TextOptions
  const wrong = textProblem(pattern)
  return [
    ...(minLength > maxLength ? [{ path: '/maxLength', message: 'maxLength is smaller than minLength.' }] : []),
    ...(wrong ? [{ path: '/pattern', message: `The pattern ${wrong}.` }] : []),
  ]
}

const textConversion: Conversion = { toText: (value) => value, fromText: (text) => text, expectation: 'does not fit this column' }

const plainText = (description: string): ColumnTypeDefinition => ({
  description,
  options: t.Object(
    {
      minLength: t.Optional(t.Integer({ minimum: 0, maximum: 10_000_000 })),
      maxLength: t.Optional(t.Integer({ minimum: 1, maximum: 10_000_000 })),
      pattern: t.Optional(t.String({ minLength: 1, maxLength: 1000, description: 'A regular expression of PostgreSQL.' })),
    },
    { additionalProperties: false },
  ),
  optionProblems,
  sqlType: () => 'text',
  problem: lengthProblem,
  rules,
  valueSchema: ({ minLength, maxLength }) => ({
    type: 'string',
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  }),
  conversion: textConversion,
})

export const text = plainText('Text of one line; longer is possible.')

export const longText = plainText('Text of several lines.')
