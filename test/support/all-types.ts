import { call } from './executable'
import type { UiService } from './ui'

/**
 * A table with a column of every type that can be made, and one record with a value in each; `companies` and `contacts`
 * belong to the sample.
 */
export async function makeAllTypes({ url, token }: Pick<UiService, 'url' | 'token'>): Promise<{ id: string }> {
  const made = await call(`${url}/api/v1/tables`, { token, body: { name: 'everything', columns } })
  if (made.status !== 201) throw new Error(await made.text())
  const table = (await made.json()) as { id: string }
  const first = await call(`${url}/api/v1/tables/everything/records`, { token, body: record })
  if (first.status !== 201) throw new Error(await first.text())
  return table
}

const columns = [
  { name: 'title', type: 'text', required: true, options: { maxLength: 80 } },
  { name: 'body', type: 'longText' },
  { name: 'whole', type: 'integer', options: { min: 0, max: 1000 } },
  { name: 'long', type: 'bigint' },
  { name: 'exact', type: 'decimal', options: { precision: 30, scale: 12 } },
  { name: 'rough', type: 'float' },
  { name: 'share', type: 'percent' },
  { name: 'stars', type: 'rating' },
  { name: 'took', type: 'duration' },
  { name: 'sure', type: 'boolean', required: true, default: false },
  { name: 'maybe', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'clock', type: 'time' },
  { name: 'moment', type: 'dateTime' },
  { name: 'data', type: 'json' },
  { name: 'code', type: 'uuid' },
  { name: 'mail', type: 'email' },
  { name: 'site', type: 'url' },
  { name: 'call', type: 'phone' },
  {
    name: 'state',
    type: 'select',
    default: 'open',
    options: { choices: ['open', { value: 'urgent', color: 'crimson' }, { value: 'done', color: 'seagreen' }] },
  },
  { name: 'marks', type: 'multiSelect', options: { choices: ['red', 'green', 'blue'] } },
  { name: 'company', type: 'link', options: { table: 'companies' } },
  { name: 'people', type: 'manyLinks', options: { table: 'contacts' } },
  { name: 'owner', type: 'user' },
  { name: 'photos', type: 'attachment' },
  { name: 'double', type: 'formula', options: { expression: 'whole * 2' } },
  { name: 'number', type: 'autoNumber' },
  { name: 'made', type: 'createdAt' },
  { name: 'changed', type: 'updatedAt' },
  { name: 'maker', type: 'createdBy' },
  { name: 'changer', type: 'updatedBy' },
]

const record = {
  title: 'The first one',
  body: 'Two lines,\nand this is the second.',
  whole: 21,
  long: '9223372036854775807',
  exact: '123456789012345678.100000000001',
  rough: 0.5,
  share: 0.125,
  stars: 4,
  took: 5400,
  sure: true,
  maybe: null,
  day: '2026-02-28',
  clock: '08:30',
  moment: '2026-01-31T11:00:00Z',
  data: { list: [1, 2], deep: { yes: true } },
  code: '0198c0de-0000-7000-8000-000000000001',
  mail: 'ada@example.org',
  site: 'https://example.org/a',
  call: '+49 30 1234',
  state: 'urgent',
  marks: ['red', 'blue'],
  company: 2,
  people: [1, 5],
}
