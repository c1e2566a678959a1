import { t } from 'elysia'

/** How pages show the values of a column. These options change neither stored values nor answers. */

export const thousands = t.Optional(
  t.Boolean({ description: 'Whether pages separate the thousands. By default they do for numbers with decimals only.' }),
)

export const decimals = t.Optional(
  t.Integer({
    minimum: 0,
    maximum: 10,
    description: 'To how many decimal places pages round the values. They show all digits by default.',
  }),
)

export const shownCurrency = t.Optional(
  t.String({ pattern: '^[A-Z]{3}$', description: 'The currency that pages show with the values (ISO 4217, as EUR), if they are numbers.' }),
)

export const dateFormat = t.Optional(
  t.Union([t.Literal('iso'), t.Literal('short'), t.Literal('long')], {
    description:
      'How pages show days: `iso` as 2026-01-31, `short` in digits and `long` in words, both as in the language of the reader; a form between these by default.',
  }),
)

export const timeFormat = t.Optional(
  t.Union([t.Literal('12'), t.Literal('24')], {
    description: 'Of how many hours the clock on pages is; as in the language of the reader by default.',
  }),
)
