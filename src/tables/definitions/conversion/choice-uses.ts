import type { Query } from '../../../db/pool/open'
import type { Tables } from '../../catalog/catalog'
import type { LinkedFilter } from '../../column-types/computed'
import type { Column, Table } from '../../model'

/** Something outside of the table that compares the column with choices by their names. */
export type ChoiceUse = { kind: string; name: string; isNaming: (choice: string) => boolean }

type StoredForm = { name: string; fields: { column: string; shownIf?: string; default?: unknown }[] }

/**
 * Rules of access, share links, forms and conditions of computed columns. A text counts that contains both names: a
 * rule that seems to name a choice is safer than one that silently allows other records.
 */
export async function findChoiceUses(query: Query, tables: Tables, table: Table, column: Column): Promise<ChoiceUse[]> {
  const textUse = (kind: string, name: string, text: string): ChoiceUse[] =>
    contains(text, column.name) ? [{ kind, name, isNaming: (choice) => contains(text, choice) }] : []
  const rules = (tables.access?.rules ?? []).flatMap((rule) =>
    textUse('access rule', `${rule.group}: ${rule.table}`, [rule.read, rule.create, rule.update, rule.delete].join(' ')),
  )
  const links = await query<{ id: string; query: string }>(
    'select id::text as id, query from rowhouse.share_links where query is not null and revoked_at is null',
  )
  const forms = await query<{ name: string; fields: string }>(
    `select name, (settings -> 'fields')::text as fields from rowhouse.forms where table_id = $1::uuid`,
    [table.id],
  )
  const inForms = forms.flatMap(({ name, fields }) => usesInForm({ name, fields: JSON.parse(fields) as StoredForm['fields'] }, column))
  const conditions = tables.list.flatMap((other) =>
    other.columns.flatMap(({ name, options }) =>
      ((options.filter ?? []) as LinkedFilter[])
        .filter((filter) => filter.column === column.id)
        .map(({ value }) => ({
          kind: 'column',
          name: `${other.name}.${name}`,
          isNaming: (choice: string) => [value].flat().includes(choice),
        })),
    ),
  )
  return [...rules, ...links.flatMap(({ id, query: text }) => textUse('share link', id, text)), ...inForms, ...conditions]
}

const usesInForm = ({ name, fields }: StoredForm, column: Column): ChoiceUse[] =>
  fields.map(({ column: id, shownIf = '', default: value }) => ({
    kind: 'form',
    name,
    isNaming: (choice) =>
      (contains(shownIf, column.name) && contains(shownIf, choice)) || (id === column.id && [value].flat().includes(choice)),
  }))

/** Texts are queries as in an address, so a name may be written in several ways. */
const contains = (text: string, name: string): boolean => {
  // As in an address: `+` is a blank, and an invalid encoding stays.
  const [decoded = ''] = new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).values()
  return text.includes(name) || decoded.replaceAll('\\', '').includes(name.replaceAll('\\', ''))
}
