import { arrayLiteral } from '../../db/arrays'
import { literal } from '../sql-text'
import { Choices, choiceMessage, choiceProblems, choicesOf } from './choices'
import type { ColumnTypeDefinition } from './definition'

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
  editor: 'select',
  conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: 'must be one of the choices' },
}
