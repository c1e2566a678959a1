/**
 * The contract between Rowhouse and a plugin. `rowhouse plugins init` writes this file beside the plugins, so that an editor knows
 * what `import … from 'rowhouse/plugin'` gives; the executable itself opens that door when it loads a plugin.
 */
declare module 'rowhouse/plugin' {
  // ── Schemas ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A JSON Schema that also has a TypeScript type. Made with `t`. */
  export interface Schema<Value = unknown> {
    readonly '~value'?: () => Value
    readonly [keyword: string]: unknown
  }
  interface OptionalSchema<Value = unknown> extends Schema<Value> {
    readonly '~optional': true
  }
  /** The type of the values that fit a schema. */
  export type Static<S> = S extends { readonly '~value'?: () => infer Value } ? Value : never

  type Properties = Record<string, Schema>
  type OptionalKeys<P> = { [K in keyof P]: P[K] extends OptionalSchema ? K : never }[keyof P]
  type Shown<T> = { [K in keyof T]: T[K] } & {}
  type ObjectOf<P> = Shown<{ [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> }>

  interface Options {
    title?: string
    description?: string
    default?: unknown
    examples?: unknown[]
  }
  interface StringOptions extends Options {
    minLength?: number
    maxLength?: number
    pattern?: string
    format?: 'date-time' | 'date' | 'time' | 'email' | 'uuid' | 'uri'
  }
  interface NumberOptions extends Options {
    minimum?: number
    maximum?: number
    exclusiveMinimum?: number
    exclusiveMaximum?: number
    multipleOf?: number
  }
  interface ArrayOptions extends Options {
    minItems?: number
    maxItems?: number
    uniqueItems?: boolean
  }
  interface ObjectOptions extends Options {
    /** `true` lets members through that the schema does not name, `false` refuses them; without it they are left out. */
    additionalProperties?: boolean
  }

  /** Makes schemas (TypeBox). What comes from an address is text and is converted to the type that its schema names. */
  export const t: {
    String(options?: StringOptions): Schema<string>
    Number(options?: NumberOptions): Schema<number>
    Integer(options?: NumberOptions): Schema<number>
    Boolean(options?: Options): Schema<boolean>
    Null(options?: Options): Schema<null>
    Unknown(options?: Options): Schema<unknown>
    Literal<const V extends string | number | boolean>(value: V, options?: Options): Schema<V>
    Union<const S extends readonly Schema[]>(schemas: S, options?: Options): Schema<Static<S[number]>>
    Nullable<V>(schema: Schema<V>, options?: Options): Schema<V | null>
    Array<V>(items: Schema<V>, options?: ArrayOptions): Schema<V[]>
    Record<V>(key: Schema<string>, value: Schema<V>, options?: Options): Schema<Record<string, V>>
    Object<P extends Properties>(properties: P, options?: ObjectOptions): Schema<ObjectOf<P>>
    Optional<V>(schema: Schema<V>): OptionalSchema<V>
  }

  // ── A call ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Who is calling. `tables` of a token are ids; null means all. The credential itself is not shown to anybody. */
  export interface Actor {
    readonly user: { readonly id: string; readonly email: string; readonly name: string; readonly role: 'admin' | 'editor' | 'viewer' }
    readonly via: 'cookie' | 'bearer' | 'query'
    readonly token: {
      readonly id: string
      readonly name: string
      readonly scope: 'read' | 'write' | 'full'
      readonly tables: readonly string[] | null
    } | null
  }

  /** Finds out who is calling, once, and only when asked. */
  export interface Auth {
    /** The caller. Without one the call is answered with 401; with a token that is too narrow, or from another site, with 403. */
    require(): Promise<Actor>
    /** The caller, or null for a stranger and for a cookie that has run out. A bad token is still answered with 401. */
    optional(): Promise<Actor | null>
  }

  /** Writes to the log of the service, with the name of the plugin. Values of its settings are made unreadable. */
  export interface Logger {
    debug(message: string, fields?: Record<string, unknown>): void
    info(message: string, fields?: Record<string, unknown>): void
    warn(message: string, fields?: Record<string, unknown>): void
    error(message: string, fields?: Record<string, unknown>): void
  }

  type Caller = Actor | null

  /** One request to an endpoint. */
  export interface Call<
    Params = Record<string, string>,
    Query = Record<string, string | string[]>,
    Body = undefined,
    Who extends Caller = Caller,
  > {
    readonly method: string
    /** Without the query. */
    readonly path: string
    readonly requestId: string
    /** Where the request came from, as far as the trusted proxies tell. */
    readonly address: string
    readonly params: Params
    /** Without `token`, which is the service's own; with `credentials: 'own'` as it was sent. */
    readonly query: Query
    readonly body: Body
    /** Without `Authorization` and `Cookie`; with `credentials: 'own'` without `Cookie`. */
    readonly headers: Headers
    /** The body as it was sent, for signatures. */
    text(): Promise<string>
    bytes(): Promise<Uint8Array>
    readonly auth: Auth
    /** Who is calling, once that is known: for `public: false` always, else when `auth` was asked. */
    readonly actor: Who
    /** Ends with the time limit, and when the caller goes away. */
    readonly signal: AbortSignal
    readonly log: Logger
    /** `settings.toml` beside the plugin, and `ROWHOUSE_PLUGIN_<PLUGIN>__<NAME>` of the environment, which wins. */
    readonly settings: Readonly<Record<string, unknown>>
  }

  // ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether the call may go on. Only `true` lets it; a text is the reason that a refused caller is told. */
  export type Verdict = boolean | string

  type Answer<R> = R | Response | ReadableStream | AsyncIterable<string | Uint8Array>

  export interface Endpoint {
    readonly '~endpoint': true
  }

  /** A route below `/api/v1/custom/<plugin>`. */
  export function endpoint<
    Public extends boolean,
    Params = Record<string, string>,
    Query = Record<string, string | string[]>,
    Body = undefined,
    Result = unknown,
  >(definition: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    /** `/`, `/stock/:sku`, `/files/*`. */
    path: string
    /** `false`: nobody gets as far as `allow` without a credential. `true`: nothing is asked for until `allow` or `handle` asks `call.auth`. */
    public: Public
    /** Only with `public: true`: credentials are not ours and are never resolved; `Authorization` and the query arrive as they were sent. */
    credentials?: 'own'
    title?: string
    description?: string
    params?: Schema<Params>
    query?: Schema<Query>
    /** With a schema the body has to be JSON. */
    body?: Schema<Body>
    /** Answers are checked against it; one that does not fit is a mistake of the plugin. */
    response?: Schema<Result>
    /** Asked on every call, before `handle`. A refused stranger gets 401, a refused caller who is known 403. */
    allow: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Verdict | Promise<Verdict>
    handle: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Answer<Result> | Promise<Answer<Result>>
  }): Endpoint

  /** Thrown, it answers the call in the service's envelope: `throw failure('not_found', 'There is no such article.')`. */
  export function failure(
    code:
      | 'invalid_request'
      | 'unauthenticated'
      | 'forbidden'
      | 'not_found'
      | 'conflict'
      | 'validation_failed'
      | 'too_many_requests'
      | 'unavailable',
    message: string,
  ): Error
}
