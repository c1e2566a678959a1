import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'

/** Whole numbers from -most-1 to most, as a JSON number or a string of digits (which keeps all of them). */
export const wholeNumberProblem = (value: unknown, most: bigint): string | null => {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d{1,30}$/.test(value)
  if (!isWhole) return 'must be a whole number'
  // The largest bigint is no JavaScript number; the next one stands for it here, and PostgreSQL reads the digits that were sent.
  const number = value === Number(most) ? most : BigInt(value as number | string)
  return number > most || number < -most - 1n ? `must be from ${-most - 1n} to ${most}` : null
}

export const integer: ColumnTypeDefinition = {
  description: 'Whole number from -2147483648 to 2147483647.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'integer',
  isWhole: true,
  problem: (value) => wholeNumberProblem(value, 2n ** 31n - 1n),
}
