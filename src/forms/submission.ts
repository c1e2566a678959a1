import { addressBudget } from '../auth/budgets'
import type { Deps } from '../deps'
import { Failure, type Problem, validationFailed } from '../errors'
import { infoOf } from '../http/request/request-info'
import { type Message, translatable } from '../messages/message'
import { pointerTo } from '../records/store/pointer'
import { createRecords } from '../records/store/service'
import { writeWithCurrentTables } from '../tables/catalog/stale-definitions'
import { isMultipart, readJsonForm, readMultipartForm, readUrlencodedForm, type SentForm } from './body'
import { offeredChoices } from './choices'
import type { ResolvedField } from './fields'
import { receiveFiles, type SubmittedFiles } from './files'
import { budgetOf, closedForm, currentForm, fullForm, isFullForm, type OpenForm, openForm, resolveForm } from './opening'
import type { ProofProblem, Proofs } from './proof'
import { countSubmission } from './store'
import { type CheckedValues, checkValues } from './values'

/** A rejected submission, with the values that the page shows again. */
export class RejectedForm extends Error {
  constructor(
    readonly failure: Failure,
    readonly form: OpenForm,
    readonly values: Record<string, unknown>,
  ) {
    super(failure.message)
  }
}

type Kind = 'page' | 'api'

/**
 * Handles one submission: counts it for its IP, consumes its proof, checks its values, and creates a record.
 * @returns the form that accepted it
 * @throws Failure; RejectedForm if the values, the files or the proof are at fault
 */
export async function submitForm(deps: Deps, proofs: Proofs, name: string, request: Request, kind: Kind): Promise<OpenForm> {
  let form = await openForm(deps, name)
  const { row, fields } = form
  await deps.budgets.take(addressBudget(`form ${row.id}`, infoOf(request).address, budgetOf(row)))
  const files = receiveFiles(deps, fields)
  let isDone = false
  let sent: SentForm | null = null
  const admit = async ({ proof, trap }: SentForm) => {
    if (trap !== '') throw new Trapped()
    const problem = await proofs.use(row.id, proof)
    if (problem) throw validationFailed([{ path: '/proof', message: proofMessages[problem] }])
  }
  try {
    if (isMultipart(request)) {
      const { form: read, refused } = await readMultipartForm(request, deps, fields, files, admit)
      sent = read
      if (refused) throw refused
    } else {
      sent = kind === 'page' ? await readUrlencodedForm(request, deps, fields) : await readJsonForm(request, deps)
      await admit(sent)
    }
    // The files may have taken an hour to arrive.
    form = await currentForm(deps, form)
    const choices = await offeredChoices(deps.db, form.tables, form.fields)
    const checked = checkValues(form.fields, sent.values, choices, files.counts())
    if (checked.problems.length > 0) throw validationFailed(checked.problems)
    await writeSubmission(deps, form, checked, files)
    isDone = true
    return form
  } catch (error) {
    // A bot gets the response of a successful submission.
    if (error instanceof Trapped) return form
    if (error instanceof Failure && error.kind === 'forbidden')
      deps.events.emit({ kind: 'warning', message: `The form "${row.name}" could not take an answer: ${error.message}` })
    const failure = toSubmissionFailure(error, form.fields)
    throw failure instanceof Failure && failure.extras.errors ? new RejectedForm(failure, form, sent?.values ?? {}) : failure
  } finally {
    await files.end(isDone)
  }
}

/** The field that people do not see was filled in. */
class Trapped extends Error {}

const proofMessages: Record<ProofProblem, Message> = {
  wrong: translatable('is missing or wrong: send a proof for the challenge of this form'),
  expired: translatable('has expired: send a proof for a new challenge'),
  used: translatable('was used already: send a proof for a new challenge'),
}

/** The record, its files and the count: all or nothing. */
async function writeSubmission(
  deps: Deps,
  { row, actor }: OpenForm,
  { record, visibleColumns }: CheckedValues,
  files: SubmittedFiles,
): Promise<void> {
  await writeWithCurrentTables(deps.catalog, actor, async (tables) => {
    const form = resolveForm(deps, row, actor, tables)
    if (!form) throw closedForm()
    const { table } = form
    await deps.db.transaction(async (executor) => {
      const writer = { tables, userId: actor.user.id, isMinimal: true }
      const [made] = await createRecords(executor, writer, table, { records: record, json: JSON.stringify(record) })
      await files.attach(executor, table, made!.key, visibleColumns, actor.user.id)
      // Last, so that others wait for this lock as briefly as possible.
      if (!(await countSubmission(executor, row.id))) throw fullForm()
    })
  })
}

const unusable = translatable('These values cannot be accepted.')
/** Other values may be rejected as well: a right is missing, about which the sender can do nothing. */
const denied = translatable('This form cannot accept this answer at the moment.')

/** What a sender may learn: which fields are at fault, and nothing about the table's records, rules and triggers. */
function toSubmissionFailure(error: unknown, fields: readonly ResolvedField[]): unknown {
  if (!(error instanceof Failure)) return error
  const paths = new Set(fields.map(({ column }) => pointerTo('', column.name)))
  const { kind, extras } = error
  if (isFullForm(error) || !['conflict', 'forbidden', 'validation_failed'].includes(kind)) return error
  const general: Problem = { path: '', message: kind === 'forbidden' ? denied : unusable }
  const problems = (extras.errors ?? []).map(({ path, message }): Problem => {
    if (kind === 'validation_failed' && (paths.has(path) || isOfSender(path, message))) return { path, message }
    return paths.has(path) ? { path, message: translatable('has a value that cannot be accepted') } : general
  })
  return Object.assign(validationFailed(problems.length > 0 ? problems : [general]), { cause: error.cause })
}

const isOfSender = (path: string, { template }: Message): boolean =>
  path === '/proof' || path === '/values' || template === 'is not a field of this form' || template === 'is not known here'
