import { t } from 'elysia'

/** How pages show the values of a column. These options change neither stored values nor answers. */

export const thousands = t.Optional(
  t.Boolean({ description: 'Whether pages separate the thousands. By default they do for numbers with decimals only.' }),
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
