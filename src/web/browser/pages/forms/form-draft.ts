import { queryOptions } from '@tanstack/react-query'
import { formFieldTypes } from '../../../../forms/field-types'
import type { FormDefinition, FormField } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { api, unwrap } from '../../api/client'
import type { ColumnInfo } from '../../records/values/column'

export const formsQuery = queryOptions({
  queryKey: ['forms'],
  queryFn: async () => (await unwrap(api['form-definitions'].get())).forms,
})

/** The columns that a form can have, by name. */
export const formColumns = ({ columns, primaryKey }: TableView) =>
  columns.filter(({ type, readOnly, name }) => formFieldTypes.includes(type) && !readOnly && !primaryKey.includes(name))

/** What the name of a table makes of a name in an address. */
const toName = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '') || 'form'

export type FormDraft = Pick<FormDefinition, 'name' | 'title' | 'enabled'> & { fields: FormField[] }

export function newFormDraft(table: TableView, names: readonly string[]): FormDraft {
  const name = toName(table.name)
  const free = names.includes(name) ? `${name}-${names.length + 1}` : name
  // A column of files is never null, and may have none.
  const isNeeded = ({ type, required }: ColumnInfo) => required && type !== 'attachment'
  // A column that rules hide from some people may be none that strangers should fill in.
  const offered = formColumns(table).filter(
    (column) => !offersRecords(column.type) && (isNeeded(column) || !table.restrictedColumns?.includes(column.name)),
  )
  // A box that is required must be ticked, as for terms.
  const fields = offered.map(
    (column): FormField => ({ column: column.name, ...(isNeeded(column) && column.type !== 'boolean' ? { required: true } : {}) }),
  )
  return { name: free, title: table.name, enabled: true, fields }
}

/** Whether people who fill in the form see names of other records. */
export const offersRecords = (type: string | undefined): boolean => type === 'link' || type === 'manyLinks'

/** The count of a budget and its period: `20/h`. */
export function budgetParts(budget: string | undefined): { count: string; period: string } {
  const [count = '', period = 'h'] = budget?.split('/') ?? []
  return { count, period }
}
