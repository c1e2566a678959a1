import { arrayLiteral, literal } from '../sql-text'
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
      condition: `${value} = any (${literal(arrayLiteral(choicesOf(options)))}::text[])`,
      message: choiceMessage(options),
    },
  ],
  valueSchema: (options) => ({ type: 'string', enum: choicesOf(options) }),
  editor: 'select',
  conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: 'must be one of the choices' },
}
