import type { Query } from '../../../db/pool/open'
import { conflict } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { Tables } from '../../catalog/catalog'
import type { LinkedFilter } from '../../column-types/computed'
import type { Column, Table } from '../../model'
import { columnsOver } from '../formula-uses'

type Use = { kind: string; name: string }

/** Something outside of the table that compares the column with choices by their names. */
export type ChoiceUse = Use & { isNaming: (choice: string) => boolean }

type StoredForm = { name: string; fields: { column: string; shownIf?: string; default?: unknown }[] }

/** Filters of a table's records. Without a `tableId` they apply to all tables. */
type StoredFilters = Use & { tableId?: string; filters: string }

/** `isByOrder`: by a pattern or an order, whose result depends on every choice's name. */
type Comparison = Use & { filters: string; isByOrder: boolean }

/**
 * Rules of access, share links, forms and conditions of computed columns. A text counts that contains both names: a
 * rule that seems to name a choice is safer than one that silently allows other records.
 */
export async function findChoiceUses(query: Query, tables: Tables, table: Table, column: Column): Promise<ChoiceUse[]> {
  const over = new Set((await columnsOver(tables, table, column)).map((each) => each.column.id))
  const comparisons = await findComparisons(query, tables, table, column)
  const forms = await storedForms(query, table)
  const conditions = tables.list.flatMap((other) =>
    other.columns.flatMap(({ name, options }) =>
      ((options.filter ?? []) as LinkedFilter[])
        .filter((filter) => over.has(filter.column))
        .map(({ operator, value }) => ({
          kind: 'column',
          name: `${other.name}.${name}`,
          isNaming: (choice: string) => !['eq', 'neq', 'in', 'is'].includes(operator) || [value].flat().includes(choice),
        })),
    ),
  )
  return [
    ...comparisons.map(({ filters, isByOrder, ...use }) => ({
      ...use,
      isNaming: (choice: string) => isByOrder || filters.includes(choice.replaceAll('\\', '')),
    })),
    ...forms.flatMap(({ name, fields }) =>
      fields
        .filter((field) => field.column === column.id)
        .map((field) => ({ kind: 'form', name, isNaming: (choice: string) => [field.default].flat().includes(choice) })),
    ),
    ...conditions,
  ]
}

/**
 * Refuses another type if rules of access, share links or forms compare the values, which would then find others: a
 * number is ordered otherwise as text, and a link becomes a name.
 * @throws Failure conflict
 */
export async function requireUncompared(query: Query, tables: Tables, table: Table, column: Column): Promise<void> {
  const [found] = await findComparisons(query, tables, table, column)
  if (!found) return
  const subject = `${found.kind} ${JSON.stringify(found.name)}`
  throw conflict(translatable('The column cannot change its type, since the {subject} compares its values.', { subject }), {
    errors: [{ path: '/type', message: translatable('is compared by the {subject}', { subject }) }],
    hint: translatable('Change the {subject} first.', { subject }),
  })
}

/** What compares the column, or one that shows its values. */
async function findComparisons(query: Query, tables: Tables, table: Table, column: Column): Promise<Comparison[]> {
  const over = await columnsOver(tables, table, column)
  return (await storedFilters(query, tables, table)).flatMap(({ tableId, ...stored }) => {
    const subjects = over
      .map((each) => subjectPattern(stored.filters, each.column.name, (tableId ?? each.table.id) === each.table.id))
      .filter((subject) => new RegExp(subject, 'u').test(stored.filters))
    const isByOrder = subjects.some((subject) => new RegExp(`(?:${subject})${byOrder}`, 'u').test(stored.filters))
    return subjects.length ? [{ ...stored, isByOrder }] : []
  })
}

async function storedFilters(query: Query, tables: Tables, table: Table): Promise<StoredFilters[]> {
  const links = await query<{ id: string; table_id: string; query: string }>(
    `select id::text as id, table_id::text as table_id, query from rowhouse.share_links
      where query is not null and table_id is not null and revoked_at is null`,
  )
  return [
    ...(tables.access?.rules ?? []).flatMap(({ group, table: name, tableId, ...rule }) =>
      [rule.read, rule.create, rule.update, rule.delete].map((text) => ({
        ...{ kind: 'access rule', name: `${group}: ${name}`, filters: filtersIn(text) },
        ...(tableId === undefined ? {} : { tableId }),
      })),
    ),
    ...links.map((link) => ({ kind: 'share link', name: link.id, tableId: link.table_id, filters: filtersIn(link.query) })),
    ...(await storedForms(query, table)).flatMap(({ name, fields }) =>
      fields.map(({ shownIf = '' }) => ({ kind: 'form', name, tableId: table.id, filters: filtersIn(shownIf) })),
    ),
  ]
}

async function storedForms(query: Query, { id }: Table): Promise<StoredForm[]> {
  const forms = await query<{ name: string; fields: string }>(
    `select name, (settings -> 'fields')::text as fields from rowhouse.forms where table_id = $1::uuid`,
    [id],
  )
  return forms.map(({ name, fields }) => ({ name, fields: JSON.parse(fields) as StoredForm['fields'] }))
}

/** Texts are queries as in an address, so a name may be written in several ways. `all` and `none` have no filters. */
const filtersIn = (text: string): string =>
  [...new URLSearchParams(text)]
    .filter(([name, value]) => value !== '' && !/(?:^|\.)(?:select|order)$/.test(name))
    .map((pair) => pair.join('=').replaceAll('\\', ''))
    .join('&')

/** Matches a column's name in filters of its own table, or as `author(name)` and `author.name` in those of others. */
function subjectPattern(filters: string, name: string, isOwn: boolean): string {
  const exact = name.replaceAll('\\', '').replace(/[.*+?^${}()|[\]]/g, '\\$&')
  if (isOwn || /\.(?:not\.)?(?:and|or)=/.test(filters)) return `(?<![\\p{L}\\p{N}_])${exact}(?![\\p{L}\\p{N}_])`
  return `[^.=]\\("?${exact}"?(?=\\)|->)|\\."?${exact}"?(?=->|=)`
}

/** After the name of a column: an operator that compares an order or a part of the text. */
const byOrder = '[^=.&,]*[=.](?:not\\.)?(?:i?like|i?match|[gl]te?|[a-z]*fts)[.(]'
