import type { Auth, Call, Data, Logger, Actor as ShownActor } from 'rowhouse/plugin'
import type { Actor } from '../auth/actor'
import { admit, admitOptional, type Need } from '../auth/admission'
import { tellRejection } from '../auth/rejection'
import type { Deps } from '../deps'
import { pathOf } from '../http/address'
import { decode } from '../http/limits'
import { infoOf } from '../http/request-info'
import { type Acting, actingAsCaller, actingAsSystem, type Ground } from './acting'
import type { PluginEndpoint } from './declaration'
import { dataOf } from './host'
import type { Plugin } from './load'
import { loggerFor } from './logger'
import type { Body, Read } from './reading'

/** Custom endpoints count as data: a token needs `read` for GET, else `write`. */
const need: Need = { area: 'data' }

export type Host = Ground &
  Pick<Deps, 'lookup' | 'renderer'> & { makeDocument: (own: Plugin, asked: Asked, wanted: WantedDocument) => Promise<Uint8Array> }

export type WantedDocument = { plugin?: string; template: string; params?: Record<string, unknown>; format?: string }

/** What a call is made of. `actor` is there for what is not public. */
export type Asked = { request: Request; read: Read; body: Body; actor: Actor | null }

/**
 * What a plugin sees of a request: no credential, and nothing of the service but what stands in the contract.
 * All else is in private fields, which no code outside of this class reaches.
 */
export class PluginCall implements Call<unknown, unknown, unknown> {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly #host: Host
  readonly #plugin: Plugin
  readonly #asked: Asked
  readonly #isOwn: boolean
  #ending: AbortController | null = null
  #actor: ShownActor | null
  #known: Actor | null
  #data: Data | null = null
  #headers: Headers | null = null
  #signal: AbortSignal | null = null

  constructor(host: Host, plugin: Plugin, { isOwn }: PluginEndpoint, asked: Asked) {
    this.#host = host
    this.#plugin = plugin
    this.#asked = asked
    this.#isOwn = isOwn
    this.#known = asked.actor
    this.#actor = asked.actor && shown(asked.actor)
    this.params = asked.read.params
    this.query = asked.read.query
    this.body = asked.read.body
  }

  /** What the service does within this call, it does as the caller. */
  static acting(call: PluginCall): Acting {
    return call.#callerActing()
  }

  /** As what the caller is known now; for what is told to administrators only. */
  static isAdmin(call: PluginCall): boolean {
    return call.#known?.user.role === 'admin'
  }

  get auth(): Auth {
    return { require: () => this.#require(), optional: () => this.#optional() }
  }

  get method(): string {
    return this.#asked.request.method
  }

  get path(): string {
    return pathOf(this.#asked.request.url)
  }

  get requestId(): string {
    return infoOf(this.#asked.request).id
  }

  get address(): string {
    return infoOf(this.#asked.request).address
  }

  get actor(): ShownActor | null {
    return this.#actor
  }

  get headers(): Headers {
    this.#headers ??= withoutCredentials(this.#asked.request.headers, this.#isOwn)
    return this.#headers
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#asked.request.signal, this.#ended()])
    return this.#signal
  }

  get log(): Logger {
    return loggerFor(this.#host.events, this.#plugin, this.requestId)
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

  asSystem(): Data {
    return dataOf(this.#host, this.#whileItLasts(actingAsSystem(this.#host.db, this.#host.catalog)))
  }

  get documents() {
    return { render: (wanted: WantedDocument) => this.#host.makeDocument(this.#plugin, { ...this.#asked, actor: this.#known }, wanted) }
  }

  fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    return fetch(input, { ...init, signal: init.signal ? AbortSignal.any([this.signal, init.signal]) : this.signal })
  }

  async bytes(): Promise<Uint8Array> {
    return this.#asked.body()
  }

  async text(): Promise<string> {
    return decode(await this.#asked.body())
  }

  /** Tells whoever listens to `signal` that nobody waits for them any more. */
  static end(call: PluginCall, reason: Error) {
    call.#ended()
    call.#ending?.abort(reason)
  }

  /** Ends with the time limit. */
  #ended(): AbortSignal {
    this.#ending ??= new AbortController()
    return this.#ending.signal
  }

  #callerActing(): Acting {
    return this.#whileItLasts(actingAsCaller(this.#host.catalog, () => this.#known))
  }

  #asCaller(): Data {
    this.#data ??= dataOf(this.#host, this.#callerActing())
    return this.#data
  }

  /** What was given up writes nothing any more. */
  #whileItLasts(acting: Acting): Acting {
    const ending = this.#ended()
    return {
      get userId() {
        return acting.userId
      },
      reach: async (table, doing) => {
        ending.throwIfAborted()
        return acting.reach(table, doing)
      },
      reachAll: async () => {
        ending.throwIfAborted()
        return acting.reachAll()
      },
    }
  }

  async #require(): Promise<ShownActor> {
    this.#refuseOwn()
    const { request } = this.#asked
    return this.#know(await tellRejection(this.#host, request, () => admit(this.#host, request, need)))
  }

  async #optional(): Promise<ShownActor | null> {
    this.#refuseOwn()
    const { request } = this.#asked
    const actor = await tellRejection(this.#host, request, () => admitOptional(this.#host, request, need))
    return actor && this.#know(actor)
  }

  /** R9: the credentials are somebody else's, so nothing is ever looked up. */
  #refuseOwn() {
    if (this.#isOwn) throw new Error('An endpoint with credentials: "own" cannot ask who is calling.')
  }

  #know(actor: Actor): ShownActor {
    this.#known ??= actor
    this.#actor ??= shown(actor)
    return this.#actor
  }
}

/** Every member that a plugin gets to see. */
function shown({ user, via, token }: Actor): ShownActor {
  const { id, email, name, role } = user
  return Object.freeze({
    user: Object.freeze({ id, email, name, role }),
    via,
    token: token
      ? Object.freeze({ id: token.id, name: token.name, scope: token.scope, tables: token.tables && Object.freeze([...token.tables]) })
      : null,
  })
}

/** A proxy's Basic wall is nobody's business here either; the page that somebody came from may have a token in its address. */
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
