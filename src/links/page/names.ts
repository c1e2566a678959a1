import { canNameUsers } from '../../auth/identity/actor'
import { arrayLiteral } from '../../db/arrays'
import type { Deps } from '../../deps'
import { Failure } from '../../errors'
import type { PlannedOutput } from '../../records/query/plan/types'
import { foreignKeyOf } from '../../tables/catalog/links/linked-records'
import { displayColumnOf } from '../../tables/display-column'
import type { Column, Table } from '../../tables/model'
import type { SharedValues } from '../shared/shared-files'
import { readRecordNames, type Shared } from '../shared/shared-record'
import { plainText } from './text'

/** The names of users and of linked records by output name and key. Leaves out those that the issuer may not read. */
export type Names = Map<string, Map<string, string>>

/** The maximum per output: the rest is shown as keys. */
const maxNames = 500

/** Reads the names of the users and records that a page of records refers to. */
export async function readNames(deps: Pick<Deps, 'db' | 'catalog'>, shared: Shared, records: readonly SharedValues[]): Promise<Names> {
  const named = await Promise.all(
    shared.outputs.map(async (output): Promise<[string, Map<string, string>]> => {
      const column = columnOf(output)
      const keys = column ? [...new Set(records.flatMap((record) => keysIn(record[output.name])))].slice(0, maxNames) : []
      return [output.name, column && keys.length ? await namesOf(deps, shared, column, keys) : new Map()]
    }),
  )
  return new Map(named)
}

/** The column that an output shows unchanged. */
export const columnOf = ({ value, aggregate }: PlannedOutput): Column | null =>
  value?.kind === 'field' && !aggregate && value.cast === undefined && value.field.steps.length === 0 ? value.field.column : null

const keysIn = (value: unknown): string[] => {
  const values = Array.isArray(value) ? value : [value]
  return values.flatMap((key) => plainText(key) ?? [])
}

/** A lookup has the type of its values, too. */
const typeOf = ({ type, options }: Column): unknown => options.valueType ?? type

async function namesOf(deps: Pick<Deps, 'db' | 'catalog'>, shared: Shared, column: Column, keys: string[]): Promise<Map<string, string>> {
  const type = typeOf(column)
  if (type === 'user' || type === 'createdBy' || type === 'updatedBy') return canNameUsers(shared.actor) ? userNames(deps, keys) : new Map()
  if (type !== 'link' && type !== 'manyLinks' && type !== 'reverseLinks') return new Map()
  const target = typeof column.options.table === 'string' ? shared.tables.byId.get(column.options.table) : undefined
  const name = target && displayColumnOf(target)
  const keyColumn = target && keyColumnOf(shared.table, column, target)
  if (!target || !name || keyColumn === undefined) return new Map()
  try {
    return await readRecordNames(deps, shared, { tableId: target.id, keyColumn, nameColumn: name.name, keys })
  } catch (error) {
    // The keys are enough if the names cannot be read.
    if (error instanceof Failure && error.kind !== 'unavailable') return new Map()
    throw error
  }
}

/** The target's column whose value a link holds. */
function keyColumnOf(table: Table, column: Column, target: Table): string | undefined {
  const key = column.joinTable || column.options.valueType ? undefined : foreignKeyOf(table, column)
  return key?.targetColumns[0] ?? (target.primaryKey.length === 1 ? target.primaryKey[0] : undefined)
}

async function userNames({ db }: Pick<Deps, 'db'>, ids: string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(
    'select id::text as id, name from rowhouse.users where id::text = any($1::text[])',
    [arrayLiteral(ids)],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
