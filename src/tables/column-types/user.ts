import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { uuidProblem } from './uuid'

export const user: ColumnTypeDefinition = {
  description: 'The id of a user. When the user is deleted, the value is empty.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'uuid',
  problem: (value) => uuidProblem(value) && 'must be the id of a user',
  valueSchema: () => ({ type: 'string', format: 'uuid' }),
  editor: 'user',
  required: false,
  lacks: ['default'],
  conversion: { toText: (value) => `${value}::text`, fromText: (text) => `btrim(${text})`, expectation: 'is not the id of a user' },
}
