import { type TSchema, t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import { literal } from '../sql-text'
import type { ColumnTypeDefinition, Rule } from './definition'
import { textProblem } from './text'

type Format = {
  description: string
  pattern: string
  isCaseless?: boolean
  longest: number
  message: Message
  schema: Record<string, unknown>
  options?: Record<string, TSchema>
}

/** Text of a known form. JavaScript and PostgreSQL read the pattern in the same way. */
function formatted({ description, pattern, longest, message, schema, options = {} }: Format): ColumnTypeDefinition {
  const expression = new RegExp(pattern)
  const rules = (value: string): Rule[] => [
    { name: 'format', condition: `${value} ~ ${literal(pattern)} and char_length(${value}) <= ${longest}`, message },
  ]
  return {
    description,
    options: t.Object(options, { additionalProperties: false }),
    sqlType: () => 'text',
    problem: (value) => textProblem(value) ?? (expression.test(value as string) && (value as string).length <= longest ? null : message),
    rules,
    valueSchema: () => ({ type: 'string', ...schema }),
    conversion: { toText: (value) => value, fromText: (text) => `btrim(${text})`, expectation: message },
  }
}

/** More lenient than RFC 5321, so that no working address is refused: any text, one @, and a domain with a dot. */
export const email = formatted({
  description: 'An e-mail address.',
  pattern: '^[^ \\t\\r\\n@<>(),;:"]+@[^ \\t\\r\\n@<>(),;:".]+([.][^ \\t\\r\\n@<>(),;:".]+)+$',
  longest: 254,
  message: translatable('must be an e-mail address, such as ada@example.org'),
  schema: { format: 'email' },
  options: {
    ignoreCase: t.Optional(
      t.Boolean({
        description:
          'For a unique column: whether addresses that differ only in case count as the same. Defaults to true when the column becomes unique.',
      }),
    ),
  },
})

/** Web addresses only: a cell is shown as a link, and `javascript:` must never be one. */
export const url = formatted({
  description: 'A web address: http or https.',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^ \\t\\r\\n/?#]+([/?#][^ \\t\\r\\n]*)?$',
  longest: 4000,
  message: translatable('must be a web address, such as https://example.org/page'),
  schema: { format: 'uri' },
})

/** A number as people write it, national or international; stored as it was written. */
export const phone = formatted({
  description: 'A phone number, with or without the country’s prefix.',
  pattern: '^[+]?[(]?[0-9][-0-9 ()./]*[0-9]( ?(x|ext[.]?) ?[0-9]+)?$',
  longest: 40,
  message: translatable('must be a phone number, such as +49 30 901820'),
  schema: {},
})
