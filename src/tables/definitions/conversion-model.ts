import { t } from 'elysia'

/** The outcome of a conversion for a column's values. `rows` are the first that do not fit. */
export const ConversionReport = t.Object({
  convertible: t.Integer(),
  failing: t.Integer(),
  renamed: t.Optional(t.Integer({ description: 'Records with a renamed choice. Present if choices are renamed.' })),
  names: t.Optional(
    t.Object(
      {
        found: t.Integer(),
        unknown: t.Integer(),
        ambiguous: t.Integer({ description: 'Names that several records have.' }),
        creatable: t.Integer({ description: 'The number of unknown names that `createLinked` would create.' }),
        unknownNames: t.Array(t.String(), { description: 'The first 20.' }),
        ambiguousNames: t.Array(t.String(), { description: 'The first 20.' }),
        obstacle: t.Optional(t.String({ description: 'Why no record can be created for unknown names.' })),
      },
      { description: 'Different names in texts that become links, each counted once.' },
    ),
  ),
  notation: t.Optional(
    t.Object(
      { decimals: t.Optional(t.String()), dates: t.Optional(t.String()) },
      { description: 'How texts were read as numbers (`comma`: 1.234,50) or dates (`dmy`, `mdy`, `ymd`).' },
    ),
  ),
  ambiguous: t.Optional(
    t.Array(t.String(), {
      description: 'The members of `notation` that the texts do not determine, as 1,234 or 01/02/2026. Send these members.',
    }),
  ),
  rows: t.Array(
    t.Object({
      key: t.String({ description: 'The key as in the URL of the record.' }),
      value: t.Union([t.String(), t.Null()], { description: 'The first 80 characters.' }),
      message: t.String(),
    }),
  ),
})
export type ConversionReport = typeof ConversionReport.static
