import type { TSchema } from 'elysia'

/** The options of one column, already checked against `options`. */
type Options = Record<string, unknown>

/** One kind of column: what it is in PostgreSQL, and which JSON values it takes. PostgreSQL has the last word on every value. */
export type ColumnTypeDefinition = {
  /** For people: in API documentation and error hints. */
  description: string
  options: TSchema
  sqlType: (options: Options) => string
  /** Whether the column holds whole numbers only, however they are written in JSON. */
  isWhole?: boolean
  /** What is wrong with a value that is not null, as the rest of a sentence that begins with the column's name; null when it fits. */
  problem: (value: unknown, options: Options) => string | null
}
