import { type DocumentDecoration, Elysia } from 'elysia'
import type { FileAnswers } from '../attachments/file-answers'
import { databaseFailure } from '../db/errors'
import type { Deps } from '../deps'
import { Failure } from '../errors'
import { decode, readBytes } from '../http/request/body'
import { languageOf } from '../http/request/language'
import { infoOf } from '../http/request/request-info'
import { problem, statusOf } from '../http/response/errors'
import { translatable } from '../messages/message'
import type { CallDeps } from '../plugins/call'
import { type LoadedPlugins, wholePlugins } from '../plugins/load/loaded'
import { LinkKind } from './model'
import { linkHeaders } from './opening/headers'
import { createOpenings, type Opening } from './opening/openings'
import { closedLink, toLinkFailure } from './opening/refusal'
import { linkAddress, openingCookieFor, visitOf, wantsJson } from './opening/visit'
import { closedPage, failurePage } from './page/pages'
import { answerSharedFile, unframed } from './shared/shared-bytes'
import { makeSharedDocument, resolveDocument } from './shared/shared-document'
import { readSharedRecord } from './shared/shared-record'
import { jsonAnswer, showLink } from './show'

/**
 * Open: the service's credentials are ignored, and the issuer's rights decide what a link shows. The password form
 * needs no CSRF check: it is useless without the secret in the URL.
 */
const described = (summary: string, more: object = {}): DocumentDecoration =>
  ({ tags: ['links'], summary, security: [], 'x-needs': 'open', ...more }) as DocumentDecoration

const unread = { parse: [() => null] }

const formBytes = 4096

type LinkCall = { request: Request; params: { token?: string; fileId?: string } }

export const linkPageRoutes = (deps: Deps & CallDeps, loaded: LoadedPlugins, answerFile: FileAnswers) => {
  const plugins = wholePlugins(loaded)
  const openings = createOpenings(deps)

  const show = ({ request, params }: LinkCall) =>
    answerVisitor(request, async () => {
      const visit = visitOf(request, params.token ?? null)
      const opening = await openings.open(visit)
      return opening.link.kind === 'document'
        ? showDocument(opening, visit.secret, request)
        : showLink(deps, opening, visit.secret, request)
    })

  const showDocument = async ({ link, actor, grant, count }: Opening, secret: string, request: Request): Promise<Response> => {
    const linked = link.document!
    const requireRecord = () => (link.tableId === null ? null : readSharedRecord(deps, actor, link, link))
    await requireRecord()
    const { template, format } = await resolveDocument(plugins, linked)
    const isBrief = wantsJson(request) || request.method === 'HEAD'
    const made = isBrief ? null : await makeSharedDocument(deps, plugins, actor, linked, request)
    // The template may have read the key when it already belonged to another record.
    if (made) await requireRecord()
    await count()
    return made
      ? unframed(made)
      : jsonAnswer({ kind: 'document', name: `${template.name}.${format}`, format, url: linkAddress(secret, '', grant) })
  }

  const showFile = ({ request, params }: LinkCall) =>
    answerVisitor(request, async () =>
      answerSharedFile(deps, answerFile, await openings.reopen(visitOf(request, params.token ?? null)), params.fileId ?? '', request),
    )

  const unlock = ({ request, params }: LinkCall) =>
    answerVisitor(request, async () => {
      const visit = { ...visitOf(request, params.token ?? null), password: await passwordIn(request) }
      const cookie = openingCookieFor(visit.secret, await openings.unlock(visit), visit.info.isHttps)
      return new Response(null, {
        status: 303,
        headers: { ...linkHeaders, location: linkAddress(visit.secret, '', null), 'set-cookie': cookie },
      })
    })

  return new Elysia({ name: 'links/page-routes', prefix: '/s' })
    .get('/:token', show, { ...unread, detail: described('What a share link shows', describeShow) })
    .post('/:token', unlock, { ...unread, detail: described('Open a share link with its password', describeUnlock) })
    .get('/:token/files/:fileId', showFile, { ...unread, detail: described('A file that a share link shows', describeBytes) })
    .get('/*', ({ request }) => answerVisitor(request, () => Promise.reject(closedLink())), {
      ...unread,
      detail: { ...described(''), hide: true },
    })
}

const text = { type: 'string' } as const
const closed = { description: 'The link cannot be opened.' }

const describeShow = {
  description:
    'A page for people, or JSON by `Accept: application/json`. Unknown, expired, revoked or used up, without its password or with a wrong one: the same 404.',
  parameters: [
    { name: 'X-Link-Password', in: 'header', required: false, schema: text, description: 'The password of the link, if it has one.' },
    { name: 'cursor', in: 'query', required: false, schema: text, description: 'The next page of a list: the value of `next`.' },
  ],
  responses: {
    200: {
      description: '`{kind, table, record}`, `{kind, table, records, next}`, `{kind, file}` or `{kind, name, format, url}`.',
      content: { 'application/json': { schema: { type: 'object', required: ['kind'], properties: { kind: LinkKind as object } } } },
    },
    404: closed,
  },
}

const describeUnlock = {
  description: 'The form of the page. Its cookie is valid for this link, for an hour.',
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': { schema: { type: 'object', required: ['password'], properties: { password: text } } },
    },
  },
  responses: { 303: { description: 'Redirects to the link, which can be opened now.' }, 404: closed },
}

const describeBytes = {
  description: 'At the URL in the response of the link, within an hour.',
  responses: {
    200: { description: 'The bytes, or a smaller picture.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } },
    404: closed,
  },
}

/** @throws Failure unsupported_media_type, payload_too_large */
async function passwordIn(request: Request): Promise<string> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
    throw new Failure('unsupported_media_type', translatable('The body must be a form.'))
  const body = decode(await readBytes(request, { bytes: formBytes }))
  return new URLSearchParams(body).get('password') ?? ''
}

/** Errors become a page, or problem details for programs. They reveal nothing about the link. */
async function answerVisitor(request: Request, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    const failure = toLinkFailure(error instanceof Failure ? error : (databaseFailure(error) ?? error))
    if (!(failure instanceof Failure)) throw error
    return wantsJson(request) ? problemOf(failure, request) : pageOf(failure, request)
  }
}

function problemOf(failure: Failure, request: Request): Response {
  const response = problem(failure, infoOf(request).id, languageOf(request))
  for (const [name, value] of Object.entries(linkHeaders)) response.headers.set(name, value)
  return response
}

function pageOf(failure: Failure, request: Request): Response {
  const language = languageOf(request)
  return failure.kind === 'not_found'
    ? closedPage(language, request.method === 'POST')
    : failurePage(language, failure, statusOf[failure.kind])
}
