import { operator } from './search-path'

/**
 * The version of the definitions of tables, as a subselect for a statement that has other things to ask too. Rowhouse's
 * own changes raise the first number, those of others add to the second (db/schema.ts): one snapshot sees both, and
 * moving a count from the second to the first changes nothing.
 */
export const catalogVersionSql = `(select version ${operator('+')} (select count(*) from rowhouse.catalog_changes) from rowhouse.catalog_version)`
