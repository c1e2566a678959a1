import { operator } from '../search-path'

/**
 * The version of the table definitions, as a subselect to embed in another statement. Rowhouse's own changes raise the
 * first number; changes made outside of Rowhouse add to the second (db/schema/tables.ts). One snapshot sees both, so
 * moving a count from the second to the first changes nothing.
 */
export const catalogVersionSql = `(select version ${operator('+')} (select count(*) from rowhouse.catalog_changes) from rowhouse.catalog_version)`
