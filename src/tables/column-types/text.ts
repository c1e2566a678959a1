import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

/** PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. */
export const textProblem = (value: unknown): string | null => {
  if (typeof value !== 'string') return 'must be a string'
  return value.includes('\0') || !value.isWellFormed() ? 'holds a NUL or a broken surrogate, which no text may' : null
}

export const text: ColumnTypeDefinition = {
  description: 'Text of any length.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'text',
  problem: textProblem,
}
