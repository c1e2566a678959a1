import type { TableView } from '../../../../tables/model'

type LinkTarget = Pick<TableView, 'id' | 'schema' | 'name' | 'primaryKey'>

/** The tables to whose records a column can link, for a list to choose from. */
export const linkTargetChoices = (tables: readonly LinkTarget[]): { value: string; label: string }[] =>
  tables
    .filter(({ primaryKey }) => primaryKey.length === 1)
    .map(({ id, schema, name }) => ({ value: id, label: schema === 'data' ? name : `${schema}.${name}` }))
