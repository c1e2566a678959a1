import type { Sql } from 'postgres'
import { call } from '../support/executable'

/** The plainest select of one record by its key as JSON. */
export const selectByKey = (table: string): string =>
  `select row_to_json(t.*)::text, t.xmin::text, t.id::text from data.${table} t where t.id = $1::bigint`

export const contactCount = 100_000

/** Without the key, which the database counts. */
export const contactColumns = ['name', 'email', 'age', 'balance', 'active', 'created', 'notes']

const columns = [
  { name: 'name', type: 'text' },
  { name: 'email', type: 'text' },
  { name: 'age', type: 'integer' },
  { name: 'balance', type: 'decimal', options: { precision: 12, scale: 2 } },
  { name: 'active', type: 'boolean' },
  { name: 'created', type: 'dateTime' },
  { name: 'notes', type: 'text' },
]

/** What the benchmark sends to make one. */
export const newContact = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  age: 36,
  balance: 12.5,
  active: true,
  created: '2024-05-06T07:08:09Z',
  notes: 'Was met in the spring and is to be called back.',
}

/** What the benchmark sends to change one. */
export const changedContact = { age: 37, notes: 'Was called back in the autumn and is well.' }

/** An empty table of contacts, as any caller makes one. */
export async function makeContacts(url: string, token: string, name: string): Promise<void> {
  const answer = await call(`${url}/api/v1/tables`, { token, body: { name, columns } })
  if (answer.status !== 201) throw new Error(`Making the table ${name} answered ${answer.status}: ${await answer.text()}`)
}

/** Records with the keys 1 to `total`, past the service, which would take minutes for a million. */
export async function fillContacts(sql: Sql, name: string, total = contactCount): Promise<void> {
  await sql.unsafe(`
    insert into data.${name} (${contactColumns.join(', ')})
    select 'Person ' || n, 'person' || n || '@example.org', (n * 7919::bigint) % 90, ((n * 104729::bigint) % 1000000) / 100.0, n % 3 <> 0,
      timestamptz '2024-01-01' + n * interval '1 minute', 'Note about person ' || n || ', who was met in the spring and is to be called back.'
    from generate_series(1, ${total}) n`)
  await sql.unsafe(`vacuum analyze data.${name}`)
}
