import { t } from 'elysia'

/** The options for the display of a column's values on pages. They change neither stored values nor responses. */

export const thousands = t.Optional(
  t.Boolean({ description: 'Whether pages separate thousands. By default, only in numbers with decimals.' }),
)

export const decimals = t.Optional(
  t.Integer({
    minimum: 0,
    maximum: 10,
    description: 'The decimal places to which pages round the values. By default, pages show all digits.',
  }),
)

export const shownCurrency = t.Optional(
  t.String({ pattern: '^[A-Z]{3}$', description: 'The currency that pages show with numbers (ISO 4217, such as EUR).' }),
)

export const dateFormat = t.Optional(
  t.Union([t.Literal('iso'), t.Literal('short'), t.Literal('long')], {
    description:
      'How pages show days: `iso` as 2026-01-31, `short` in digits and `long` in words, both as in the language of the reader; a form between these by default.',
  }),
)

export const timeFormat = t.Optional(
  t.Union([t.Literal('12'), t.Literal('24')], {
    description: 'Whether pages show a clock of 12 or 24 hours. By default, that of the reader’s language.',
  }),
)
