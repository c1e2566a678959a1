import { t } from 'elysia'
import { translatable } from '../../messages/message'
import type { ColumnTypeDefinition } from './definition'
import { uuidProblem } from './uuid'

export const user: ColumnTypeDefinition = {
  description: 'The id of a user. When the user is deleted, the value is empty.',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'uuid',
  problem: (value) => uuidProblem(value) && translatable('must be the id of a user'),
  valueSchema: () => ({ type: 'string', format: 'uuid' }),
  conversion: {
    toText: (value) => `${value}::text`,
    fromText: (text) => `btrim(${text})`,
    expectation: translatable('is not the id of a user'),
  },
}

/** A user that the record pipeline fills in. */
const author = (description: string): ColumnTypeDefinition => ({
  description,
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'uuid',
  problem: () => translatable('is filled in by Rowhouse'),
  valueSchema: () => ({ type: 'string', format: 'uuid', readOnly: true }),
  conversion: { toText: (value) => `${value}::text`, expectation: null },
})

export const createdBy = author(
  'The id of the user who made the record; empty for what was made past the API, and once the user is deleted.',
)

export const updatedBy = author(
  'The id of the user who changed the record last; empty for what was made past the API, and once the user is deleted.',
)
