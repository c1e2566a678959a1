import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { wholeNumberProblem } from './integer'

export const bigint: ColumnTypeDefinition = {
  description: 'Whole number of 64 bits. Send it as a string where your language keeps fewer digits.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'bigint',
  isWhole: true,
  problem: (value) => wholeNumberProblem(value, 2n ** 63n - 1n),
}
