import { Failure } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Table } from '../../tables/model'

/** @throws Failure forbidden, when the role of the database connection may not read the table */
export function requireReadable(table: Table): void {
  if (!table.rights.select) throw missingGrant(translatable('The database does not let Rowhouse read "{name}".', { name: table.name }))
}

const verbs = {
  insert: translatable('add records to'),
  update: translatable('change records of'),
  delete: translatable('delete records of'),
}

/** @throws Failure forbidden, when the role may not do this, or when PostgreSQL cannot (a view of several tables) */
export function requireWritable(table: Table, ...rights: (keyof typeof verbs)[]): void {
  requireReadable(table)
  for (const right of rights) if (!table.rights[right]) throw toRightsFailure(table, right)
}

function toRightsFailure(table: Table, right: keyof typeof verbs): Failure {
  const isTable = table.kind === 'table' || table.kind === 'partitionedTable'
  return isTable
    ? missingGrant(translatable('The database does not let Rowhouse {verb} "{name}".', { verb: verbs[right], name: table.name }))
    : new Failure(
        'forbidden',
        translatable('PostgreSQL cannot {verb} "{name}", which is no table, or does not let Rowhouse do it.', {
          verb: verbs[right],
          name: table.name,
        }),
        {
          hint: translatable('Write to the tables that it shows.'),
        },
      )
}

const missingGrant = (message: Message) =>
  new Failure('forbidden', message, { hint: translatable('Grant the role of DATABASE_URL its rights on the table, in the database.') })
