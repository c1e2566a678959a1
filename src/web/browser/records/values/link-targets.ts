import type { TableView } from '../../../../tables/model'

type LinkTarget = Pick<TableView, 'id' | 'schema' | 'name' | 'primaryKey'>

/** The tables to which a column can link, as choices. */
export const linkTargetChoices = (tables: readonly LinkTarget[]): { value: string; label: string }[] =>
  tables
    .filter(({ primaryKey }) => primaryKey.length === 1)
    .map(({ id, schema, name }) => ({ value: id, label: schema === 'data' ? name : `${schema}.${name}` }))

/** The table whose records a column seems to name, judged by the header: `Mitglied` for the table `mitglieder`. */
export const likelyTarget = (header: string, type: string, tables: readonly TableView[]): TableView | undefined =>
  ['text', 'longText', 'select'].includes(type)
    ? tables.find(
        ({ name, primaryKey, displayColumn, can }) =>
          can.read && primaryKey.length === 1 && displayColumn !== null && displayColumn !== primaryKey[0] && isPlural(name, header),
      )
    : undefined

/** Whether two words may be singular and plural: `Kunde` and `kunden`, `company` and `companies`. */
function isPlural(name: string, header: string): boolean {
  const [one, other] = [name, header].map((text) =>
    text
      .normalize('NFD')
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase(),
  ) as [string, string]
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  const stem = long.startsWith(short) ? short.length : short.length - 1
  return short.length > 2 && (stem > 3 || stem === short.length) && long.startsWith(short.slice(0, stem)) && long.length - stem <= 3
}
