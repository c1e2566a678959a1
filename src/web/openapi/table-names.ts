import { isUuid } from '../../tables/column-types/uuid'
import type { Table } from '../../tables/model'

/**
 * The name of the table in paths. It depends on no other table, so it does not reveal one with the same name that the
 * caller may not know.
 * @param schemas in the order in which a bare name is resolved
 */
export function pathReference({ id, schema, name }: Table, schemas: readonly string[]): string {
  // An id is looked up as an id, and a URL has no segments of dots only; "a.b" may be the table b in the schema a.
  if (isUuid(name) || name.includes('.') || schema.includes('.')) return id
  return schema === schemas[0] ? name : `${schema}.${name}`
}

const plain = /^[A-Za-z][A-Za-z0-9_]*$/
const withId = /_[0-9a-f]{12}$/

/** A unique name for components and operations, which must be ASCII. A plain reference is used unchanged. */
export const componentName = (reference: string, id: string): string =>
  plain.test(reference) && !withId.test(reference) ? reference : `${reference.replace(/[^A-Za-z0-9_]+/g, '_')}_${id.slice(-12)}`
