/** The limits of one query. Beyond them: 400, before anything is planned. `docs/query-grammar.md` lists them. */
export const queryLimits = {
  /** Characters of the query string, as it was sent. */
  length: 32_768,
  parameters: 1000,
  /** Levels of `and(or(…))`, of embeddings in embeddings, and of `a.b.c.limit`. */
  depth: 16,
  /** Filters in total, including those in logic trees. */
  conditions: 500,
  /** Columns, embeddings, terms of `order` and steps of JSON paths in total. */
  items: 2000,
} as const

/** The numbers of conditions and items that the rest of a query may still contain while it is parsed. */
export type Budget = { conditions: number; items: number }

export const fullBudget = (): Budget => ({ conditions: queryLimits.conditions, items: queryLimits.items })
