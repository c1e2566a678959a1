import { t } from 'elysia'
import { arrayLiteral } from '../../db/arrays'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, OptionProblem, Options } from './definition'
import { textProblem } from './text'

type Choice = string | { value: string; color?: string }

const ChoiceValue = t.String({ minLength: 1, maxLength: 200 })

/** More would make a check that PostgreSQL walks through for every row, and a menu that nobody reads. */
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

/** The words alone, in their order. */
export const choicesOf = ({ choices = [] }: Options): string[] =>
  (choices as Choice[]).map((choice) => (typeof choice === 'string' ? choice : choice.value))

function choiceProblems(options: Options): OptionProblem[] {
  const seen = new Set<string>()
  return choicesOf(options).flatMap((choice, index): OptionProblem[] => {
    const isRepeated = seen.has(choice)
    seen.add(choice)
    const problem = textProblem(choice) ?? (isRepeated ? 'stands in the list already' : null)
    return problem ? [{ path: `/choices/${index}`, message: `This choice ${problem}.` }] : []
  })
}

const maxListed = 10

/** The rest of a sentence. */
function choiceMessage(options: Options, verb = 'must be one of'): string {
  const choices = choicesOf(options)
  const named = choices.slice(0, maxListed).map((choice) => JSON.stringify(choice))
  const more = choices.length > maxListed ? ` and ${choices.length - maxListed} more` : ''
  return choices.length ? `${verb} ${named.join(', ')}${more}` : 'has no choices yet, so nothing fits'
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
      // Even null is none of an empty list.
      condition: choicesOf(options).length ? `${value} = any (${literal(arrayLiteral(choicesOf(options)))}::text[])` : `${value} is null`,
      message: choiceMessage(options),
    },
  ],
  valueSchema: (options) => ({ type: 'string', enum: choicesOf(options) }),
  conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: 'must be one of the choices' },
}

const choiceProblem = (value: unknown, options: Options): string | null => {
  if (!Array.isArray(value)) return 'must be an array of choices'
  const choices = new Set<unknown>(choicesOf(options))
  if (!value.every((item) => choices.has(item))) return choiceMessage(options, 'must be an array of some of')
  return new Set(value).size === value.length ? null : 'must name no choice twice'
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
      // A null within is contained in nothing; an array of arrays would be.
      condition: `${value} <@ ${literal(arrayLiteral(choicesOf(options)))}::text[] and coalesce(array_ndims(${value}), 1) = 1`,
      message: choiceMessage(options, 'must be an array of some of'),
    },
  ],
  valueSchema: (options) => ({ type: 'array', items: { type: 'string', enum: choicesOf(options) }, uniqueItems: true }),
  conversion: {
    toText: (value) => `array_to_string(${value}, ', ')`,
    fromText: (text) => `pg_catalog.regexp_split_to_array(pg_catalog.btrim(${text}), ' *, *')::text`,
    expectation: 'must be choices with commas between',
  },
}
