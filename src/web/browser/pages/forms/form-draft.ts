import { queryOptions } from '@tanstack/react-query'
import { formFieldTypes } from '../../../../forms/field-types'
import type { FormDefinition, FormField } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { api, unwrap } from '../../api/client'

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
  const fields = formColumns(table).map(
    ({ name: column, type, required }): FormField => ({
      column,
      // A column of files is never null, and may have none.
      ...(required && type !== 'attachment' ? { required } : {}),
      ...(offersRecords(type) ? { choices: true } : {}),
    }),
  )
  // A column that rules hide from some people may be none that strangers should fill in.
  const isOffered = ({ column, choices, required: isNeeded }: FormField) =>
    !choices && (isNeeded || !table.restrictedColumns?.includes(column))
  return { name: free, title: table.name, enabled: true, fields: fields.filter(isOffered) }
}

/** Whether people who fill in the form see names of other records. */
export const offersRecords = (type: string | undefined): boolean => type === 'link' || type === 'manyLinks'

/** The count of a budget and its period: `20/h`. */
export function budgetParts(budget: string | undefined): { count: string; period: string } {
  const [count = '', period = 'h'] = budget?.split('/') ?? []
  return { count, period }
}
