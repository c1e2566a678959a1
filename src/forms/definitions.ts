import { eq } from 'drizzle-orm'
import { type AuditSource, recordChange } from '../auth/audit/audit-log'
import { readBudgetLimit } from '../auth/budgets'
import { isTimestamp, notATimestamp } from '../auth/timestamp'
import { briefTransaction, catalogChanging } from '../db/brief-transaction'
import type { Tx } from '../db/pool/open'
import { forms } from '../db/schema/forms'
import type { Deps } from '../deps'
import { conflict, notFound, type Problem, validationFailed } from '../errors'
import { type Message, translatable } from '../messages/message'
import { findTable, type Tables, tablesFor } from '../tables/catalog/catalog'
import { areCurrent } from '../tables/catalog/table-in-transaction'
import { objectProblems } from '../tables/column-types/json'
import type { Table } from '../tables/model'
import { formRuleNotice, formTableProblem, resolveFields } from './fields'
import type { FormDefinition, FormDefinitionPatch, NewFormDefinition } from './model'
import { ensureFormsUser, formsActor } from './service-user'
import { isEmbeddingSite, isRedirect } from './sites'
import { type FormRow, type FormSettings, findFormRow, listFormRows, touched } from './store'

const noForm = () => notFound(translatable('There is no such form.'))
const nameTaken = () => conflict(translatable('A form with this name already exists.'))

/** @param origin of the service, for the URLs of the forms */
export async function listDefinitions(deps: Deps, origin: string): Promise<FormDefinition[]> {
  const [rows, own] = [await listFormRows(deps.db), await ownTables(deps)]
  return rows.map((row) => toDefinition(deps, own, row, origin))
}

/** @throws Failure not_found */
export async function getDefinition(deps: Deps, name: string, origin: string): Promise<FormDefinition> {
  const row = await findFormRow(deps.db.orm, name)
  if (!row) throw noForm()
  return toDefinition(deps, await ownTables(deps), row, origin)
}

/** @throws Failure validation_failed, conflict (the name is taken) */
export async function createDefinition(deps: Deps, input: NewFormDefinition, source: AuditSource, origin: string): Promise<FormDefinition> {
  const { name, table, enabled = true, opensAt = null, closesAt = null, maxSubmissions = null, ...settings } = input
  await ensureFormsUser(deps.db, source)
  const id = Bun.randomUUIDv7()
  await withOwnTables(deps, async (tx, own) => {
    const found = findTable(own.all, table)
    if (!found || found.isJoinTable) throw validationFailed([{ path: '/table', message: translatable('is not a table') }])
    const checked = checkSettings(deps, own, found.id, settings)
    const values = { id, name, tableId: found.id, enabled, settings: checked, maxSubmissions, ...readTimes({ opensAt, closesAt }) }
    const made = await tx.insert(forms).values(values).onConflictDoNothing().returning({ id: forms.id })
    if (made.length === 0) throw nameTaken()
    await recordChange(tx, source, 'form_created', id)
  })
  return getDefinition(deps, name, origin)
}

/** @throws Failure not_found, validation_failed, conflict (the name is taken) */
export async function updateDefinition(
  deps: Deps,
  name: string,
  patch: FormDefinitionPatch,
  source: AuditSource,
  origin: string,
): Promise<FormDefinition> {
  await ensureFormsUser(deps.db, source)
  const renamed = patch.name ?? name
  await withOwnTables(deps, async (tx, own) => {
    const row = await lockRow(tx, name)
    if (renamed !== name && (await findFormRow(tx, renamed))) throw nameTaken()
    const { name: _, enabled, opensAt, closesAt, maxSubmissions, ...settings } = patch
    // A form that no longer fits its table can still be disabled and renamed.
    const isChanged = Object.keys(settings).length > 0 || enabled === true
    const given = Object.fromEntries(Object.entries({ ...row.settings, ...settings }).filter(([, value]) => value !== null)) as FormSettings
    const change = {
      name: renamed,
      enabled: enabled ?? row.enabled,
      settings: isChanged ? checkSettings(deps, own, row.tableId, given) : row.settings,
      maxSubmissions: maxSubmissions === undefined ? row.maxSubmissions : maxSubmissions,
      ...readTimes({
        opensAt: opensAt === undefined ? (row.opensAt?.toISOString() ?? null) : opensAt,
        closesAt: closesAt === undefined ? (row.closesAt?.toISOString() ?? null) : closesAt,
      }),
      ...touched,
    }
    await tx.update(forms).set(change).where(eq(forms.id, row.id))
    await recordChange(tx, source, 'form_changed', row.id)
  })
  return getDefinition(deps, renamed, origin)
}

/** The records that it created stay. @throws Failure not_found */
export async function deleteDefinition({ db }: Pick<Deps, 'db'>, name: string, source: AuditSource): Promise<void> {
  await db.orm.transaction(async (tx) => {
    const [gone] = await tx.delete(forms).where(eq(forms.name, name)).returning({ id: forms.id })
    if (!gone) throw noForm()
    await recordChange(tx, source, 'form_deleted', gone.id)
  })
}

async function lockRow(tx: Tx, name: string): Promise<FormRow> {
  const [row] = await tx.select().from(forms).where(eq(forms.name, name)).for('update')
  if (!row) throw noForm()
  return row as FormRow
}

/** All tables, and those that the service user may use; null if it is deleted, disabled or a viewer. */
type OwnTables = { all: Tables; ofForms: Tables | null }

async function ownTables(deps: Pick<Deps, 'db' | 'catalog'>): Promise<OwnTables> {
  const actor = await formsActor(deps)
  return { all: await deps.catalog.current(), ofForms: actor && (await tablesFor(deps.catalog, actor)) }
}

/** How often tables may change while a form is being saved. */
const maxAttempts = 10

/**
 * A transaction with the current tables, whose names do not change until it ends.
 * @param work may run more than once
 */
async function withOwnTables(deps: Deps, work: (tx: Tx, own: OwnTables) => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const own = await ownTables(deps)
    const isDone = await briefTransaction(deps.db, async (tx) => {
      if (!(await areCurrent(tx, own.all)) || (own.ofForms ?? own.all).version !== own.all.version) return false
      await work(tx, own)
      return true
    })
    if (isDone) return
  }
  throw catalogChanging()
}

/** The settings with column ids. @throws Failure validation_failed */
function checkSettings({ config }: Deps, { ofForms }: OwnTables, tableId: string, settings: FormSettings): FormSettings {
  if (!ofForms) throw validationFailed([{ path: '/table', message: unusableUser }])
  const table = ofForms.byId.get(tableId)
  const problem = formTableProblem(table)
  if (problem) throw validationFailed([{ path: '/table', message: problem }])
  const { fields, problems } = resolveFields(ofForms, table!, settings.fields, config)
  const wrong = [...problems, ...settingProblems(settings)]
  if (wrong.length > 0) throw validationFailed(wrong.slice(0, 100))
  return { ...settings, fields: settings.fields.map((field, index) => ({ ...field, column: fields[index]!.column.id })) }
}

const unusableUser = translatable('The service user "Forms" is disabled or a viewer, so all forms are closed.')

function settingProblems(settings: FormSettings): Problem[] {
  const { title, redirect, sites = [], budget } = settings
  const problems = objectProblems('', settings)
  const tell = (path: string, message: Message) => void problems.push({ path, message })
  if (title.trim() === '') tell('/title', translatable('is required'))
  if (redirect !== undefined && !isRedirect(redirect)) tell('/redirect', translatable('must be an https address'))
  if (budget !== undefined && !readBudgetLimit(budget))
    tell('/budget', translatable('must be a number and a unit (s, m, h or d), such as 20/h'))
  for (const [index, site] of sites.entries())
    if (!isEmbeddingSite(site)) tell(`/sites/${index}`, translatable('must be an origin, such as https://www.example.org'))
  return problems
}

/** @throws Failure validation_failed */
function readTimes({ opensAt, closesAt }: { opensAt: string | null; closesAt: string | null }) {
  const read = (path: string, text: string | null) => {
    if (text === null) return null
    if (!isTimestamp(text)) throw validationFailed([{ path, message: notATimestamp }])
    return new Date(text)
  }
  return { opensAt: read('/opensAt', opensAt), closesAt: read('/closesAt', closesAt) }
}

function toDefinition({ config }: Deps, { all, ofForms }: OwnTables, row: FormRow, origin: string): FormDefinition {
  const table = all.byId.get(row.tableId)
  const nameOf = (id: string) => table?.columns.find((column) => column.id === id)?.name ?? id
  const { settings } = row
  const problems = problemsOf(config, ofForms, ofForms?.byId.get(row.tableId), row)
  const needsRule = ofForms !== null && countOf(problems) > countOf(problemsOf(config, ofForms, table, row))
  return {
    ...{ id: row.id, name: row.name, table: { id: row.tableId, name: table?.name ?? null } },
    ...settings,
    fields: settings.fields.map((field) => ({ ...field, column: nameOf(field.column) })),
    enabled: row.enabled,
    opensAt: row.opensAt?.toISOString() ?? null,
    closesAt: row.closesAt?.toISOString() ?? null,
    maxSubmissions: row.maxSubmissions,
    submissions: row.submissions,
    lastSubmissionAt: row.lastSubmissionAt?.toISOString() ?? null,
    url: `${origin}/f/${row.name}`,
    isClosed: !row.enabled || problems.closing.length > 0 || (row.closesAt !== null && row.closesAt <= new Date()),
    problems: [...problems.closing, ...problems.others].map(String),
    needsRule,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** `closing` problems close the form; with the others it stays open. */
type FormProblems = { closing: Message[]; others: Message[] }

const countOf = ({ closing, others }: FormProblems): number => closing.length + others.length

function problemsOf(config: Deps['config'], ofForms: Tables | null, table: Table | undefined, row: FormRow): FormProblems {
  if (!ofForms) return { closing: [unusableUser], others: [] }
  const problem = formTableProblem(table)
  if (problem) return { closing: [problem], others: [] }
  const { fields, problems } = resolveFields(ofForms, table!, row.settings.fields, config)
  const notice = problems.length > 0 ? null : formRuleNotice(table!, fields)
  return {
    closing: problems.map(({ path, message }) => translatable('{path}: {message}', { path, message })),
    others: notice ? [notice] : [],
  }
}
