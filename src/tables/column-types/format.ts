import { t } from 'elysia'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, Rule } from './definition'
import { textProblem } from './text'

type Format = {
  description: string
  pattern: string
  isCaseless?: boolean
  longest: number
  message: string
  schema: Record<string, unknown>
}

/** Text of a known form. The pattern is written so that JavaScript and PostgreSQL read it alike. */
export function formatted({ description, pattern, longest, message, schema }: Format): ColumnTypeDefinition {
  const expression = new RegExp(pattern)
  const rules = (value: string): Rule[] => [
    { name: 'format', condition: `${value} ~ ${literal(pattern)} and char_length(${value}) <= ${longest}`, message },
  ]
  return {
    description,
    options: t.Object({}, { additionalProperties: false }),
    sqlType: () => 'text',
    problem: (value) => textProblem(value) ?? (expression.test(value as string) && (value as string).length <= longest ? null : message),
    rules,
    valueSchema: () => ({ type: 'string', ...schema }),
    editor: 'text',
    conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: message },
  }
}
