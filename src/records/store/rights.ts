import { withReason } from '../../auth/refusal-reason'
import { Failure, forbidden } from '../../errors'
import { type Message, translatable } from '../../messages/message'
import type { Column, Table } from '../../tables/model'
import { allowsRead, allowsWrite, personColumnOf } from '../../tables/row-rules'

/** @throws Failure forbidden, when the role of the database connection or the caller may not read the table */
export function requireReadable(table: Table): void {
  requireSelect(table)
  if (!allowsRead(table)) throw accessDenied(table, 'read')
}

function requireSelect(table: Table): void {
  if (!table.rights.select) throw missingGrant(translatable('The database does not let Rowhouse read "{name}".', { name: table.name }))
}

const deniedActions = {
  read: translatable('You may not read records of this table.'),
  create: translatable('You may not create such a record in this table.'),
  update: translatable('You may not change this record in this way.'),
  write: translatable('You may not write such a record to this table.'),
  delete: translatable('You may not delete this record.'),
}

/** The failure for an action that the access document does not allow the caller (docs/access.md). */
export const accessDenied = (table: Pick<Table, 'name'> | null, action: keyof typeof deniedActions): Failure =>
  withReason(forbidden(deniedActions[action]), 'rule', table?.name ?? null)

/** The failure for a row that the caller may not write; with a hint if the rules only require the caller's own user. */
export function deniedRowFailure(table: Table | null): Failure {
  const failure = accessDenied(table, 'write')
  const column = table && personColumnOf(table)
  if (!column) return failure
  const hint = translatable('"{column}" must be your own user.', { column: column.name })
  return new Failure(failure.kind, failure.text, { ...failure.extras, hint })
}

/** @throws Failure forbidden, for a column that the access document does not let the caller write */
export function requireWritableColumn(table: Table, { name, access }: Column, path: string): void {
  if (!access?.isReadOnly || access.isHidden) return
  const denied = new Failure('forbidden', translatable('You may not write "{name}".', { name }), {
    errors: [{ path, message: translatable('may not be written by you') }],
  })
  throw withReason(denied, 'rule', table.name)
}

const actions = { insert: 'create', update: 'update', delete: 'delete' } as const

const verbs = {
  insert: translatable('add records to'),
  update: translatable('change records of'),
  delete: translatable('delete records of'),
}

/**
 * @throws Failure forbidden, when the role or the caller may not do this, or when PostgreSQL cannot (a view of several
 * tables)
 */
export function requireWritable(table: Table, ...rights: (keyof typeof verbs)[]): void {
  requireSelect(table)
  for (const right of rights) {
    if (!table.rights[right]) throw toRightsFailure(table, right)
    if (!allowsWrite(table, actions[right])) throw accessDenied(table, actions[right])
  }
}

function toRightsFailure(table: Table, right: keyof typeof verbs): Failure {
  const isTable = table.kind === 'table' || table.kind === 'partitionedTable'
  return isTable
    ? missingGrant(translatable('The database does not let Rowhouse {verb} "{name}".', { verb: verbs[right], name: table.name }))
    : new Failure(
        'forbidden',
        translatable('PostgreSQL cannot {verb} "{name}", which is not a table, or does not let Rowhouse do it.', {
          verb: verbs[right],
          name: table.name,
        }),
        {
          hint: translatable('Write to the underlying tables instead.'),
        },
      )
}

const missingGrant = (message: Message) =>
  new Failure('forbidden', message, { hint: translatable('Grant the role of DATABASE_URL its privileges on the table.') })
