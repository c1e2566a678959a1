import { type BudgetLimit, readBudgetLimit } from '../auth/budgets'
import type { Actor } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { conflict, type Failure, notFound } from '../errors'
import { translatable } from '../messages/message'
import { type Tables, tablesFor } from '../tables/catalog/catalog'
import type { Table } from '../tables/model'
import { formTableProblem, type ResolvedField, resolveFields } from './fields'
import { formsActor } from './service-user'
import { type FormRow, findFormRow, findFormRowById, isFormName } from './store'

/** A form that accepts submissions, and the tables with the rights of its service user. */
export type OpenForm = { row: FormRow; actor: Actor; tables: Tables; table: Table; fields: ResolvedField[] }

const defaultBudget: BudgetLimit = { maxCalls: 20, periodS: 3600 }

export const budgetOf = ({ settings }: FormRow): BudgetLimit => readBudgetLimit(settings.budget) ?? defaultBudget

/** One response for an unknown form, a closed one, a disabled one and one whose table no longer fits. */
export const closedForm = (): Failure => notFound(translatable('No route matches this URL.'))
const notYetOpen = () => conflict(translatable('This form is not open yet.'))
const full = translatable('This form no longer accepts answers.')
export const fullForm = () => conflict(full)
export const isFullForm = ({ text }: Failure): boolean => text === full

/** @throws Failure not_found if it is not public; conflict if it is full or not open yet */
export async function openForm(deps: Deps, name: string): Promise<OpenForm> {
  const form = await publicForm(deps, name)
  const { opensAt, maxSubmissions, submissions } = form.row
  if (opensAt && opensAt > new Date()) throw notYetOpen()
  if (maxSubmissions !== null && submissions >= maxSubmissions) throw fullForm()
  return form
}

/** Also returns a form that is full or not open yet. @throws Failure not_found */
export const publicForm = async (deps: Deps, name: string): Promise<OpenForm> =>
  requirePublic(deps, isFormName(name) ? await findFormRow(deps.db.orm, name) : null)

/** The form after a slow body has arrived; its name may have changed. @throws Failure not_found */
export const currentForm = async (deps: Deps, { row }: OpenForm): Promise<OpenForm> =>
  requirePublic(deps, await findFormRowById(deps.db.orm, row.id))

async function requirePublic(deps: Deps, row: FormRow | null): Promise<OpenForm> {
  if (!row?.enabled || (row.closesAt && row.closesAt <= new Date())) throw closedForm()
  const actor = await formsActor(deps)
  const form = actor && resolveForm(deps, row, actor, await tablesFor(deps.catalog, actor))
  if (!form) throw closedForm()
  return form
}

/** With the current tables; null if they do not fit. */
export function resolveForm({ config }: Pick<Deps, 'config'>, row: FormRow, actor: Actor, tables: Tables): OpenForm | null {
  const table = tables.byId.get(row.tableId)
  if (!table || formTableProblem(table)) return null
  const { fields, problems } = resolveFields(tables, table, row.settings.fields, config)
  return problems.length > 0 ? null : { row, actor, tables, table, fields }
}
