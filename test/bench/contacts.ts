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

const companyCount = 1000
/** What contacts are linked to. */
export const companies = 'companies'

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

/** An empty table of contacts, as any caller makes one; those that are linked to a company have one more column. */
export async function makeContacts(url: string, token: string, name: string, isLinked = false): Promise<void> {
  if (isLinked) await makeTable(url, token, companies, [{ name: 'name', type: 'text' }])
  const link = { name: 'company', type: 'link', options: { table: companies } }
  await makeTable(url, token, name, isLinked ? [...columns, link] : columns)
}

async function makeTable(url: string, token: string, name: string, columnsOfIt: object[]): Promise<void> {
  const answer = await call(`${url}/api/v1/tables`, { token, body: { name, columns: columnsOfIt } })
  if (answer.status !== 201) throw new Error(`Making the table ${name} answered ${answer.status}: ${await answer.text()}`)
}

/** Companies with the keys from 1, one for each contact in turn. */
export async function linkContacts(sql: Sql, name: string): Promise<void> {
  await sql.unsafe(`insert into data.${companies} (name) select 'Company ' || n from generate_series(1, ${companyCount}) n`)
  await sql.unsafe(`update data.${name} set company = 1 + id % ${companyCount}`)
  await sql.unsafe(`vacuum full analyze data.${name}, data.${companies}`)
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
