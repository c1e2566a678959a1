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

/** The part of a form's URL that is derived from the name of its table. */
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
  // A column of files is never null, but may be empty.
  const isNeeded = ({ type, required }: ColumnInfo) => required && type !== 'attachment'
  // A column that rules hide from some people is probably not for strangers to fill in.
  const offered = formColumns(table).filter(
    (column) => !offersRecords(column.type) && (isNeeded(column) || !table.restrictedColumns?.includes(column.name)),
  )
  // A required box must be ticked, like terms and conditions.
  const fields = offered.map(
    (column): FormField => ({ column: column.name, ...(isNeeded(column) && column.type !== 'boolean' ? { required: true } : {}) }),
  )
  return { name: free, title: table.name, enabled: true, fields }
}

/** Whether people who fill in the form can see names of other records. */
export const offersRecords = (type: string | undefined): boolean => type === 'link' || type === 'manyLinks'

/** The count of a budget and its period: `20/h`. */
export function budgetParts(budget: string | undefined): { count: string; period: string } {
  const [count = '', period = 'h'] = budget?.split('/') ?? []
  return { count, period }
}
