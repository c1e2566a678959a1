/** What one query may ask for. Beyond it: 400, before anything is planned. `docs/query-grammar.md` lists them. */
export const queryLimits = {
  /** Characters of the query string, as it was sent. */
  length: 32_768,
  parameters: 1000,
  /** Levels of `and(or(…))`, of embeddings in embeddings, and of `a.b.c.limit`. */
  depth: 16,
  /** Filters in all, those in logic trees among them. */
  conditions: 500,
  /** Columns, embeddings, terms of `order` and steps of JSON paths in all. */
  items: 2000,
} as const

/** What is left of the limits while one query is read. */
export type Budget = { conditions: number; items: number }

export const fullBudget = (): Budget => ({ conditions: queryLimits.conditions, items: queryLimits.items })
