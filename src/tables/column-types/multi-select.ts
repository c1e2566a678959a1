import { arrayLiteral } from '../../db/arrays'
import { literal } from '../sql-text'
import { Choices, choiceMessage, choiceProblems, choicesOf } from './choices'
import type { ColumnTypeDefinition, Options } from './definition'

const problem = (value: unknown, options: Options): string | null => {
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
  problem,
  rules: (value, options) => [
    {
      name: 'choices',
      // A null within is contained in nothing; an array of arrays would be.
      condition: `${value} <@ ${literal(arrayLiteral(choicesOf(options)))}::text[] and coalesce(array_ndims(${value}), 1) = 1`,
      message: choiceMessage(options, 'must be an array of some of'),
    },
  ],
  valueSchema: (options) => ({ type: 'array', items: { type: 'string', enum: choicesOf(options) }, uniqueItems: true }),
  editor: 'multiSelect',
  conversion: {
    toText: (value) => `array_to_string(${value}, ', ')`,
    fromText: (text) => `pg_catalog.regexp_split_to_array(pg_catalog.btrim(${text}), ' *, *')::text`,
    expectation: 'must be choices with commas between',
  },
}
