import type { Auth, Call, Data, Logger, Actor as ShownActor } from 'rowhouse/plugin'
import { auditCsrf } from '../auth/audit/audit-csrf'
import { type Actor, unauthenticated } from '../auth/identity/actor'
import { authOf, authorize, authorizeOptional, type Requirement, reauthorize } from '../auth/identity/authorize'
import type { Deps } from '../deps'
import type { RenderRequester } from '../documents/render/renderer'
import { afterSlowBody, decode } from '../http/request/body'
import { languageOf } from '../http/request/language'
import { infoOf } from '../http/request/request-info'
import { pathOf } from '../http/request/url'
import type { MessageLanguage } from '../messages/message'
import { dataOf } from './host/data'
import { callerAccess, type DataAccess, type HostDeps, limitToLifetime, systemAccess } from './host/data-access'
import type { PluginEndpoint } from './load/declaration'
import type { Plugin } from './load/load'
import { loggerFor } from './logger'
import type { PluginBody, Read } from './request'

export type CallDeps = HostDeps &
  Pick<Deps, 'lookup' | 'renderer'> & {
    makeDocument: (own: Plugin, input: CallRequest, document: RequestedDocument) => Promise<Uint8Array>
  }

export type RequestedDocument = { plugin?: string; template: string; params?: Record<string, unknown>; format?: string }

/**
 * The input of a call. `actor` is present when the endpoint is not public; `within` when another call makes a document
 * through this one; `language` when the URL of a document names it.
 */
export type CallRequest = {
  request: Request
  read: Read
  body: PluginBody
  actor: Actor | null
  within?: Within
  language?: MessageLanguage | undefined
}

/**
 * The call around this one: when it ends, the number of calls around it, and whether its endpoint has its own
 * credentials.
 */
type Within = { ending: AbortSignal; depth: number; isOwn: boolean }

/**
 * A plugin's view of a request: no credential, and only those parts of the service that the contract names. Everything
 * else is in private fields, which no code outside of this class can read.
 */
export class PluginCall implements Call<unknown, unknown, unknown> {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly #deps: CallDeps
  readonly #plugin: Plugin
  readonly #input: CallRequest
  readonly #isOwn: boolean
  /** Custom endpoints count as data: a token needs `read` for GET, else `write`. */
  readonly #requirement: Requirement
  #ending: AbortController | null = null
  #isOver = false
  #actor: ShownActor | null
  #caller: Actor | null
  #data: Data | null = null
  #headers: Headers | null = null
  #signal: AbortSignal | null = null

  constructor(deps: CallDeps, plugin: Plugin, { isOwn, method }: PluginEndpoint, input: CallRequest) {
    this.#deps = deps
    this.#plugin = plugin
    this.#input = input
    this.#isOwn = isOwn
    // Requesting a document is a read, even if its parameters are sent by POST.
    this.#requirement = { area: 'data', isForViewers: method === 'GET' }
    this.#caller = input.actor
    this.#actor = input.actor && publicActor(input.actor)
    this.params = input.read.params
    this.query = input.read.query
    this.body = input.read.body
  }

  /** The data access of the service itself within this call: with the rights of the caller. */
  static dataAccess(call: PluginCall): DataAccess {
    return call.#callerAccess()
  }

  /** The requester of a document within this call, and how long the request is valid. */
  static requester(call: PluginCall): RenderRequester {
    return { caller: call.#caller?.user.id ?? call.address, ending: call.#timeoutSignal(), signal: call.signal }
  }

  /**
   * Whether details for administrators may be shown. The service itself asks, so an invalid credential counts as none.
   */
  static async isAdmin(call: PluginCall): Promise<boolean> {
    const actor = await call.#optional().catch(() => null)
    return actor?.user.role === 'admin'
  }

  get auth(): Auth {
    return { require: () => this.#require(), optional: () => this.#optional() }
  }

  get method(): string {
    return this.#input.request.method
  }

  get path(): string {
    return pathOf(this.#input.request.url)
  }

  get requestId(): string {
    return infoOf(this.#input.request).id
  }

  get address(): string {
    return infoOf(this.#input.request).address
  }

  get language(): MessageLanguage {
    return this.#input.language ?? languageOf(this.#input.request)
  }

  get actor(): ShownActor | null {
    return this.#actor
  }

  get headers(): Headers {
    this.#headers ??= withoutCredentials(this.#input.request.headers, this.#isOwn)
    return this.#headers
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#input.request.signal, this.#timeoutSignal()])
    return this.#signal
  }

  get log(): Logger {
    return loggerFor(this.#deps.events, this.#plugin, this.requestId)
  }

  get settings() {
    return this.#plugin.settings.values
  }

  get records(): Data['records'] {
    return this.#asCaller().records
  }

  get transaction(): Data['transaction'] {
    return this.#asCaller().transaction
  }

  get files(): Data['files'] {
    return this.#asCaller().files
  }

  get sql(): Data['sql'] {
    return this.#asCaller().sql
  }

  // These functions are members of the object rather than methods, so that a plugin can destructure the call.
  readonly asSystem = (): Data =>
    dataOf(this.#deps, limitToLifetime(systemAccess(this.#deps.catalog), { ending: this.#timeoutSignal(), language: this.language }))

  get documents() {
    const within = () => ({ ending: this.#timeoutSignal(), depth: (this.#input.within?.depth ?? 0) + 1, isOwn: this.#isForeign() })
    const render = async (document: RequestedDocument) => {
      this.#requireOpen()
      return this.#deps.makeDocument(this.#plugin, { ...this.#input, actor: this.#caller, within: within() }, document)
    }
    return { render }
  }

  readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    // A signal in `init` replaces that of a Request.
    const own = init.signal === undefined && input instanceof Request ? input.signal : init.signal
    return fetch(input, { ...init, signal: own ? AbortSignal.any([this.signal, own]) : this.signal })
  }

  readonly bytes = async (): Promise<Uint8Array> => {
    const bytes = await this.#input.body()
    await this.#refreshCaller()
    return bytes
  }

  readonly text = async (): Promise<string> => decode(await this.bytes())

  /** Aborts `signal`, so that the plugin can stop work whose result nobody waits for. */
  static end(call: PluginCall, reason: Error) {
    // Creates the signal if nothing has used it yet.
    call.#timeoutSignal()
    call.#ending?.abort(reason)
  }

  /** The response is complete: from now on nothing runs with the rights of the caller. */
  static close(call: PluginCall) {
    call.#isOver = true
  }

  #requireOpen() {
    if (this.#isOver) throw new Error('The call is over and can no longer act as its caller; work after the response uses asSystem().')
  }

  /** Aborted at the time limit. A call within another one has the limit of that call. */
  #timeoutSignal(): AbortSignal {
    if (this.#input.within) return this.#input.within.ending
    this.#ending ??= new AbortController()
    return this.#ending.signal
  }

  #callerAccess(): DataAccess {
    return limitToLifetime(
      callerAccess(this.#deps.catalog, () => this.#caller),
      { ending: this.#timeoutSignal(), requireOpen: () => this.#requireOpen(), language: this.language },
    )
  }

  #asCaller(): Data {
    this.#data ??= dataOf(this.#deps, this.#callerAccess())
    return this.#data
  }

  async #require(): Promise<ShownActor> {
    this.#refuseOwn()
    if (this.#isForeign()) throw unauthenticated()
    const { request } = this.#input
    return this.#know(await auditCsrf(this.#deps, request, () => authorize(this.#deps, request, this.#requirement)))
  }

  async #optional(): Promise<ShownActor | null> {
    this.#refuseOwn()
    if (this.#isForeign()) return null
    const { request } = this.#input
    const actor = await auditCsrf(this.#deps, request, () => authorizeOptional(this.#deps, request, this.#requirement))
    return actor && this.#know(actor)
  }

  /** R9: the credentials are not Rowhouse's, so no lookup may use them. */
  #refuseOwn() {
    if (this.#isOwn) throw new Error('An endpoint with credentials: "own" cannot ask who is calling.')
  }

  /**
   * A document within a call that has its own credentials is made for an anonymous caller: the credentials in the
   * request are not Rowhouse's.
   */
  #isForeign(): boolean {
    return this.#isOwn || this.#input.within?.isOwn === true
  }

  #know(actor: Actor): ShownActor {
    if (!this.#caller) {
      const { request } = this.#input
      afterSlowBody(request, () => auditCsrf(this.#deps, request, () => reauthorize(this.#deps, request, this.#requirement)))
    }
    this.#caller ??= actor
    this.#actor ??= publicActor(actor)
    return this.#actor
  }

  /** After a slow body, the caller was looked up again; their role or groups may have changed. */
  async #refreshCaller() {
    if (!this.#caller) return
    const caller = await authOf(this.#deps, this.#input.request).require()
    if (caller === this.#caller) return
    this.#caller = caller
    this.#actor = publicActor(caller)
  }
}

/** The actor with exactly those members that a plugin may see. */
function publicActor({ user, via, token }: Actor): ShownActor {
  const { id, email, name, role } = user
  return Object.freeze({
    user: Object.freeze({ id, email, name, role }),
    via,
    token: token
      ? Object.freeze({ id: token.id, name: token.name, scope: token.scope, tables: token.tables && Object.freeze([...token.tables]) })
      : null,
  })
}

/** Removes credentials. Proxy credentials are removed too, and the query of the referer, which may hold a token. */
function withoutCredentials(sent: Headers, isOwn: boolean): Headers {
  const headers = new Headers(sent)
  headers.delete('cookie')
  if (isOwn) return headers
  headers.delete('authorization')
  headers.delete('proxy-authorization')
  const referer = headers.get('referer')
  if (referer?.includes('?')) headers.set('referer', referer.slice(0, referer.indexOf('?')))
  return headers
}
