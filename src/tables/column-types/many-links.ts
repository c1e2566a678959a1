import { t } from 'elysia'
import type { ColumnTypeDefinition } from './definition'
import { keyProblem, keySchema } from './keys'
import { TargetTable } from './link'

const mostLinks = 10_000

const problem = (value: unknown, _options: unknown, sqlType = ''): string | null => {
  if (!Array.isArray(value)) return 'must be an array of keys'
  if (value.length > mostLinks) return `must have at most ${mostLinks} keys`
  const wrong = value.map((item) => keyProblem(item, sqlType.replace(/\[\]$/, ''))).find((found) => found !== null)
  if (wrong) return `must be an array of keys: an item ${wrong}`
  const exact = value.filter(isExact).map(String)
  return new Set(exact).size === exact.length ? null : 'must name no record twice'
}

/** Beyond, JavaScript takes several numbers for one. Whoever has their digits asks again with these as texts. */
const isExact = (key: unknown): boolean => typeof key !== 'number' || Number.isSafeInteger(key)

export const manyLinks: ColumnTypeDefinition = {
  description: 'The keys of any number of records of another table. The database keeps them in a table between the two.',
  options: t.Object({ table: TargetTable }, { additionalProperties: false }),
  sqlType: (_options, targetType = 'text') => `${targetType}[]`,
  problem,
  valueSchema: () => ({ type: 'array', items: keySchema, uniqueItems: true }),
  editor: 'links',
  required: false,
  lacks: ['unique', 'default'],
}
