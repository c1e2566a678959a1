import { Failure } from '../../errors'
import type { Table } from '../../tables/model'

/** @throws Failure forbidden, when the role of the database connection may not read the table */
export function requireReadable(table: Table): void {
  if (!table.rights.select) throw missingGrant(`The database does not let Rowhouse read "${table.name}".`)
}

const verbs = { insert: 'add records to', update: 'change records of', delete: 'delete records of' }

/** @throws Failure forbidden, when the role may not do this, or when PostgreSQL cannot (a view of several tables) */
export function requireWritable(table: Table, ...rights: (keyof typeof verbs)[]): void {
  requireReadable(table)
  for (const right of rights) if (!table.rights[right]) throw toRightsFailure(table, right)
}

function toRightsFailure(table: Table, right: keyof typeof verbs): Failure {
  const isTable = table.kind === 'table' || table.kind === 'partitionedTable'
  return isTable
    ? missingGrant(`The database does not let Rowhouse ${verbs[right]} "${table.name}".`)
    : new Failure('forbidden', `PostgreSQL cannot ${verbs[right]} "${table.name}", which is no table, or does not let Rowhouse do it.`, {
        hint: 'Write to the tables that it shows.',
      })
}

const missingGrant = (message: string) =>
  new Failure('forbidden', message, { hint: 'Grant the role of DATABASE_URL its rights on the table, in the database.' })
