import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, Conversion, OptionProblem, Options, Rule } from './definition'

type TextOptions = { minLength?: number; maxLength?: number; pattern?: string }

/** PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. */
export const textProblem = (value: unknown): Message | null => {
  if (typeof value !== 'string') return translatable('must be a string')
  return value.includes('\0') || !value.isWellFormed()
    ? translatable('contains a NUL or an unpaired surrogate, which text cannot hold')
    : null
}

/** Characters as PostgreSQL counts them: code points. */
const lengthOf = (value: string): number => {
  let count = 0
  for (const _ of value) count++
  return count
}

const lengthMessage = ({ minLength, maxLength }: TextOptions): Message =>
  minLength === undefined
    ? translatable('must have at most {maxLength} characters', { maxLength: maxLength! })
    : maxLength === undefined
      ? translatable('must have at least {minLength} characters', { minLength })
      : translatable('must have at least {minLength} and at most {maxLength} characters', { minLength, maxLength })

const lengthProblem = (value: unknown, options: Options): Message | null => {
  const wrong = textProblem(value)
  if (wrong) return wrong
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = options as TextOptions
  // UTF-16 has at least as many units, so most texts need no counting.
  const units = (value as string).length
  const isFine = units <= maxLength && (minLength === 0 || units >= 2 * minLength)
  const length = isFine ? units : lengthOf(value as string)
  return isFine || (length >= minLength && length <= maxLength) ? null : lengthMessage(options as TextOptions)
}

const rules = (value: string, options: Options): Rule[] => {
  const { minLength, maxLength, pattern } = options as TextOptions
  const bounds = [
    ...(minLength === undefined ? [] : [`char_length(${value}) >= ${minLength}`]),
    ...(maxLength === undefined ? [] : [`char_length(${value}) <= ${maxLength}`]),
  ]
  const found: Rule[] = []
  if (bounds.length) found.push({ name: 'length', condition: bounds.join(' and '), message: lengthMessage(options as TextOptions) })
  if (pattern !== undefined) {
    const message = translatable('does not match the pattern of this column')
    found.push({ name: 'pattern', condition: `${value} ~ ${literal(pattern)}`, message })
  }
  return found
}

const optionProblems = (options: Options): OptionProblem[] => {
  const { minLength = 0, maxLength = minLength, pattern = '' } = options as TextOptions
  const wrong = textProblem(pattern)
  return [
    ...(minLength > maxLength ? [{ path: '/maxLength', message: translatable('maxLength is smaller than minLength.') }] : []),
    ...(wrong ? [{ path: '/pattern', message: translatable('The pattern {wrong}.', { wrong }) }] : []),
  ]
}

const textConversion: Conversion = {
  toText: (value) => value,
  fromText: (text) => text,
  expectation: translatable('does not fit this column'),
}

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
