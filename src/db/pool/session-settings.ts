/**
 * The text format of values, whatever the settings of the role or the database: PostgreSQL makes our JSON, CSV and
 * cursors from it. PgBouncer passes these on, and gives a server connection only to clients with the same values.
 */
export const passedOn = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' }

/** PgBouncer rejects these as start-up parameters. */
export const notPassedOn = { IntervalStyle: 'postgres', extra_float_digits: '1', bytea_output: 'hex' }

/** @returns advice about wrong settings that cannot be corrected through a pooler; null if there are none */
export async function wrongSettings(query: <Row extends object>(text: string) => Promise<Row[]>): Promise<string | null> {
  const rows = await query<{ role: string; name: string }>(
    `select quote_ident(current_user) as role, name from (values
       ('IntervalStyle', current_setting('IntervalStyle') = 'postgres'),
       ('extra_float_digits', current_setting('extra_float_digits')::int >= 1),
       ('bytea_output', current_setting('bytea_output') = 'hex')) s (name, is_right)
     where not is_right order by name`,
  )
  const [first] = rows
  if (!first) return null
  const statements = rows.map(({ role, name }) => `ALTER ROLE ${role} SET ${name} = '${notPassedOn[name as keyof typeof notPassedOn]}';`)
  return `With DATABASE_PREPARE=0 the settings of the role have to be right, since a pooler passes none on. ${statements.join(' ')} Then let the pooler reconnect (RECONNECT in PgBouncer).`
}
