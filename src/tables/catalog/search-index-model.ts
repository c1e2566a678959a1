import { t } from 'elysia'

export const SearchIndexState = t.Union([t.Literal('none'), t.Literal('building'), t.Literal('ready')], {
  description: 'The index for the search (`q`); without it a search reads every record.',
})

export const SearchIndexView = t.Object({
  state: SearchIndexState,
  progress: t.Number({ description: 'From 0 to 1.' }),
  problem: t.Optional(t.String({ description: 'Why the last attempt to build or drop it failed, for administrators.' })),
})
export type SearchIndexView = typeof SearchIndexView.static

/** The index for the current columns, and the schema of the extension `pg_trgm`. */
export type ReadySearchIndex = { name: string; trigramSchema: string }
