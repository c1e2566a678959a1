import { t } from 'elysia'
import { arrayLiteral } from '../../db/arrays'
import { type Message, translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, OptionProblem, Options } from './definition'
import { textProblem } from './text'

type Choice = string | { value: string; color?: string }

const ChoiceValue = t.String({ minLength: 1, maxLength: 200 })

/** More choices would make a check that PostgreSQL scans for every row, and a menu too long to read. */
export const maxChoices = 1000

const Choices = t.Object(
  {
    choices: t.Array(
      t.Union([
        ChoiceValue,
        t.Object({ value: ChoiceValue, color: t.Optional(t.String({ maxLength: 40 })) }, { additionalProperties: false }),
      ]),
      {
        maxItems: maxChoices,
        description: 'Words, or {value, color}.',
      },
    ),
  },
  { additionalProperties: false },
)

/** The names of the choices, in their order. */
export const choicesOf = ({ choices = [] }: Options): string[] =>
  (choices as Choice[]).map((choice) => (typeof choice === 'string' ? choice : choice.value))

function choiceProblems(options: Options): OptionProblem[] {
  const seen = new Set<string>()
  return choicesOf(options).flatMap((choice, index): OptionProblem[] => {
    const isRepeated = seen.has(choice)
    seen.add(choice)
    const problem = textProblem(choice) ?? (isRepeated ? translatable('is already in the list') : null)
    return problem ? [{ path: `/choices/${index}`, message: translatable('This choice {problem}.', { problem }) }] : []
  })
}

const maxListed = 10

/** The rest of a sentence. */
function choiceMessage(options: Options, isList = false): Message {
  const all = choicesOf(options)
  if (all.length === 0) return translatable('has no choices yet, so nothing fits')
  const named = all.slice(0, maxListed).map((choice) => JSON.stringify(choice))
  const [choices, count] = [named.join(', '), all.length - maxListed]
  if (count <= 0)
    return isList
      ? translatable('must be an array of some of {choices}', { choices })
      : translatable('must be one of {choices}', { choices })
  return isList
    ? translatable('must be an array of some of {choices} and {count} more', { choices, count })
    : translatable('must be one of {choices} and {count} more', { choices, count })
}

/** An empty `enum` is invalid. */
function choiceSchema(options: Options) {
  const choices = choicesOf(options)
  return choices.length > 0 ? { type: 'string', enum: choices } : { type: 'string' }
}

export const select: ColumnTypeDefinition = {
  description: 'One of a list of words: choices.',
  options: Choices,
  optionProblems: choiceProblems,
  sqlType: () => 'text',
  problem: (value, options) => (typeof value === 'string' && choicesOf(options).includes(value) ? null : choiceMessage(options)),
  rules: (value, options) => [
    {
      name: 'choices',
      // For an empty list `any` is false, even for null.
      condition: choicesOf(options).length ? `${value} = any (${literal(arrayLiteral(choicesOf(options)))}::text[])` : `${value} is null`,
      message: choiceMessage(options),
    },
  ],
  valueSchema: choiceSchema,
  conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: translatable('must be one of the choices') },
}

const choiceProblem = (value: unknown, options: Options): Message | null => {
  if (!Array.isArray(value)) return translatable('must be an array of choices')
  const choices = new Set<unknown>(choicesOf(options))
  if (!value.every((item) => choices.has(item))) return choiceMessage(options, true)
  return new Set(value).size === value.length ? null : translatable('must not name a choice twice')
}

export const multiSelect: ColumnTypeDefinition = {
  description: 'Some of a list of words: choices. A value is an array, in any order, without repetition.',
  options: Choices,
  optionProblems: choiceProblems,
  sqlType: () => 'text[]',
  problem: choiceProblem,
  rules: (value, options) => [
    {
      name: 'choices',
      // `<@` is false for an array with a null element, but it ignores dimensions, so these are checked as well.
      condition: `${value} <@ ${literal(arrayLiteral(choicesOf(options)))}::text[] and coalesce(array_ndims(${value}), 1) = 1`,
      message: choiceMessage(options, true),
    },
  ],
  valueSchema: (options) => ({ type: 'array', items: choiceSchema(options), uniqueItems: true }),
  conversion: {
    toText: (value) => `array_to_string(${value}, ', ')`,
    fromText: (text) => `pg_catalog.regexp_split_to_array(pg_catalog.btrim(${text}), ' *, *')::text`,
    expectation: translatable('must be choices separated by commas'),
  },
}
