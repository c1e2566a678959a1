import { t } from 'elysia'
import { type Message, translatable } from '../../messages/message'
import type { ColumnTypeDefinition } from './definition'

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)

export const uuidProblem = (value: unknown): Message | null =>
  typeof value === 'string' && isUuid(value) ? null : translatable('must be a UUID')

export const uuid: ColumnTypeDefinition = {
  description: 'A UUID (RFC 9562).',
  options: t.Object({}, { additionalProperties: false }),
  sqlType: () => 'uuid',
  problem: uuidProblem,
  valueSchema: () => ({ type: 'string', format: 'uuid' }),
  conversion: { toText: (value) => `${value}::text`, fromText: (text) => `btrim(${text})`, expectation: translatable('must be a UUID') },
}
