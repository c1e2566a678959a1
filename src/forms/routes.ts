import { type DocumentDecoration, Elysia } from 'elysia'
import { requireSameSite } from '../auth/identity/authorize'
import { databaseFailure } from '../db/errors'
import type { Deps } from '../deps'
import { Failure } from '../errors'
import { browserLocale, languageOf } from '../http/request/language'
import { searchOf } from '../http/request/url'
import { readPairs } from '../records/query/parse/pairs'
import { offeredChoices } from './choices'
import { PublicForm, SubmissionAnswer } from './model'
import { type OpenForm, openForm, publicForm } from './opening'
import { failedFormPage, filledFormPage, missingFormPage, thanksPage } from './page/form-page'
import { formTexts } from './page/form-text'
import { createProofs, proofDifficulty } from './proof'
import { RejectedForm, submitForm } from './submission'
import { valueOfTexts } from './values'

/**
 * Open: credentials are ignored, only what the definition shows is read, and each submission needs a proof of work and
 * counts towards its IP's limit (docs/decisions/030-public-forms.md).
 */
const described = (summary: string, more: object = {}): DocumentDecoration =>
  ({ tags: ['forms'], summary, security: [], 'x-needs': 'open', ...more }) as DocumentDecoration

const unread = { parse: [() => null] }

type Call = { request: Request; params: { name: string } }

export const formRoutes = (deps: Deps) => {
  const proofs = createProofs(deps.db)

  const describe = async ({ params }: Call) => publicViewOf(await openForm(deps, params.name ?? ''))

  const publicViewOf = async ({ row, tables, fields }: OpenForm): Promise<PublicForm> => {
    const choices = await offeredChoices(deps.db, tables, fields)
    const { title, description = null } = row.settings
    return {
      ...{ name: row.name, title, description },
      fields: fields.map(({ column, label, help, isRequired, default: value, shownIf, files }) => ({
        ...{ name: column.name, label, help, type: column.type, required: isRequired, default: value, shownIf },
        ...(choices.has(column.name) ? { choices: choices.get(column.name)! } : {}),
        ...(files ? { files } : {}),
      })),
      challenge: await proofs.challenge(row.id),
      difficulty: proofDifficulty,
    }
  }

  const submit = async ({ request, params }: Call): Promise<SubmissionAnswer> => {
    requireSameSite(request)
    const { row } = await submitForm(deps, proofs, params.name ?? '', request, 'api').catch((error) => {
      throw error instanceof RejectedForm ? error.failure : error
    })
    const { thanks, redirect } = row.settings
    return { ok: true, thanks: thanks ?? formTexts[languageOf(request)].thanks, ...(redirect === undefined ? {} : { redirect }) }
  }

  const showForm = async (request: Request, form: OpenForm, values: Record<string, unknown>, failure?: Failure) => {
    const choices = await offeredChoices(deps.db, form.tables, form.fields)
    const challenge = await proofs.challenge(form.row.id)
    const locale = browserLocale(request)
    return filledFormPage(languageOf(request), { form, challenge, choices, values, locale, ...(failure ? { failure } : {}) })
  }

  const page = ({ request, params }: Call) =>
    answerPerson(deps, { request, params }, async () => {
      const form = await openForm(deps, params.name ?? '')
      return showForm(request, form, prefilled(form, request))
    })

  const send = ({ request, params }: Call) =>
    answerPerson(deps, { request, params }, async () => {
      requireSameSite(request)
      try {
        const { row } = await submitForm(deps, proofs, params.name ?? '', request, 'page')
        return seeOther(row.settings.redirect ?? `/f/${row.name}/thanks`)
      } catch (error) {
        if (error instanceof RejectedForm) return showForm(request, error.form, error.values, error.failure)
        throw error
      }
    })

  const thanks = ({ request, params }: Call) =>
    answerPerson(deps, { request, params }, async () => {
      const { row } = await publicForm(deps, params.name ?? '')
      return thanksPage(languageOf(request), row.settings)
    })

  return new Elysia({ name: 'forms/routes' })
    .get('/api/v1/forms/:name', ({ request, params }) => describe({ request, params }), {
      ...unread,
      response: PublicForm,
      detail: described('What a public form asks for', {
        description: 'With a challenge for one submission. A closed form is a 404.',
      }),
    })
    .post('/api/v1/forms/:name', ({ request, params }) => submit({ request, params }), {
      ...unread,
      response: SubmissionAnswer,
      detail: described('Send a public form', describeSubmission),
    })
    .get('/f/:name', ({ request, params }) => page({ request, params }), { ...unread, detail: hidden })
    .post('/f/:name', ({ request, params }) => send({ request, params }), { ...unread, detail: hidden })
    .get('/f/:name/thanks', ({ request, params }) => thanks({ request, params }), { ...unread, detail: hidden })
    .get('/f/*', ({ request }) => missingFormPage(languageOf(request)), { ...unread, detail: hidden })
}

const hidden = { ...described(''), hide: true }

const describeSubmission = {
  description:
    'Makes a record, and answers nothing of it. `proof` is the challenge, a colon and a number, of which SHA-256 begins with `difficulty` zero bits; it is good once. With files: multipart/form-data with the inputs `proof` and `f.{field}`, `proof` first.',
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['values', 'proof'],
          properties: { values: { type: 'object', additionalProperties: true }, proof: { type: 'string' } },
        },
      },
    },
  },
}

/** `?field=value` of the URL, for the fields that accept it. */
function prefilled({ fields }: OpenForm, request: Request): Record<string, unknown> {
  const texts = new Map<string, string[]>()
  for (const [name, value] of readPairs(searchOf(request.url))) texts.set(name, [...(texts.get(name) ?? []), value.slice(0, 10_000)])
  const brought = fields.filter(({ canPrefill, column }) => canPrefill && texts.has(column.name))
  return Object.fromEntries(brought.map(({ column }) => [column.name, valueOfTexts(column, texts.get(column.name)!, null)]))
}

/** Errors are also pages, which the sites of the form may frame. They reveal nothing about the table. */
async function answerPerson(deps: Deps, { request, params }: Call, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    const failure = error instanceof Failure ? error : databaseFailure(error)
    if (!failure) throw error
    if (failure.kind === 'not_found') return missingFormPage(languageOf(request))
    // A database that fails is not queried again.
    const form = error instanceof Failure ? await publicForm(deps, params.name ?? '').catch(() => null) : null
    return failedFormPage(languageOf(request), failure, form?.row.settings)
  }
}

const seeOther = (location: string) => new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
