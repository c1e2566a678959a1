/**
 * The contract between Rowhouse and a plugin. `rowhouse plugins init` writes this file beside the plugins, so that an
 * editor knows what `import … from 'rowhouse/plugin'` gives; the executable itself opens that door when it loads a
 * plugin.
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
    /**
     * `true` lets members through that the schema does not name, `false` refuses them; without it they are left out.
     */
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
    /**
     * The caller. Without one the call is answered with 401; with a token that is too narrow, or from another site,
     * with 403.
     */
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

  // ── The data ─────────────────────────────────────────────────────────────────────────────────────────────────────

  type Row = Record<string, unknown>
  /** The parts of a composite key in their order. */
  export type Key = string | number | bigint | readonly (string | number | bigint)[]

  /** `rowhouse plugins types` writes the tables that there are into this. */
  export interface Tables {}
  type RowOf<Name> = Name extends keyof Tables ? Tables[Name] : Row

  type Comparison<V> = {
    eq?: V
    neq?: V | null
    gt?: V
    gte?: V
    lt?: V
    lte?: V
    like?: string
    ilike?: string
    in?: readonly V[]
    is?: 'null' | 'not_null' | 'true' | 'false'
  }
  /** Every condition has to hold: `{ state: 'open', total: { gte: 100 }, id: [1, 2, 3] }`. */
  export type Where<R> = { [K in keyof R]?: R[K] | readonly R[K][] | Comparison<NonNullable<R[K]>> }

  export interface ListQuery<R = Row> {
    where?: Where<R>
    select?: (keyof R & string)[]
    /** `name`, or `-name` for the other direction. */
    order?: string | string[]
    limit?: number
    offset?: number
    cursor?: string
    count?: 'none' | 'exact' | 'estimated'
    /** Search over all columns of text. */
    q?: string
  }

  export interface Records<R = Row> {
    /** By its key, or the first that meets the conditions; null where there is none. */
    find(wanted: Key | Where<R>): Promise<R | null>
    /** A page: by a query, or by the query string of `GET …/records` with all its grammar. At most 10 000. */
    list(query?: ListQuery<R> | string): Promise<{ records: R[]; nextCursor: string | null; totalCount?: number }>
    create(record: Partial<R>): Promise<R>
    create(records: Partial<R>[]): Promise<R[]>
    update(key: Key, changes: Partial<R>): Promise<R>
    remove(key: Key): Promise<void>
  }

  export interface FileInfo {
    readonly id: string
    readonly name: string
    readonly size: number
    readonly type: string
  }
  export interface StoredFile extends FileInfo {
    bytes(): Promise<Uint8Array>
    stream(): Promise<ReadableStream<Uint8Array>>
  }
  type NewFile = { name: string; bytes: string | Uint8Array | Blob | AsyncIterable<Uint8Array> }

  export interface Files {
    list(table: string, key: Key, column: string): Promise<FileInfo[]>
    /** Without an id the first of the cell; null for an empty one. */
    read(table: string, key: Key, column: string, id?: string): Promise<StoredFile | null>
    write(table: string, key: Key, column: string, files: NewFile | NewFile[], options?: { replace?: boolean }): Promise<FileInfo[]>
  }

  /**
   * Numbers that JavaScript cannot hold are texts with all their digits. What is refused is answered as the routes of
   * records would.
   */
  export interface Data {
    records<Name extends string>(table: Name): Records<RowOf<Name>>
    /**
     * All or nothing. `work` can run more than once, when two transactions wait for each other. What it has begun
     * without an `await` is waited for at its end, and fails it when it fails; after its end `tx` throws.
     */
    transaction<Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>): Promise<Result>
    readonly files: Files
    /**
     * Reads by SQL: sql`select count(*) from orders where customer = ${id}`. Whatever stands in `${…}` is a parameter.
     * It runs as a database role that reads the served schemas (name those beside `data`) and nothing else; for a token
     * that is held to tables it is closed.
     */
    sql<R = Row>(texts: TemplateStringsArray, ...values: unknown[]): Promise<R[]>
  }

  type Caller = Actor | null

  /**
   * One request to an endpoint. Its data are those that the caller reaches: within role, and within a token's scope and
   * tables. A stranger reaches none, and nobody does once the answer is complete.
   */
  export interface Call<
    Params = Record<string, string>,
    Query = Record<string, string | string[]>,
    Body = undefined,
    Who extends Caller = Caller,
  > extends Data {
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
    /** The data with the rights of the service, whoever is calling; also for work that goes on behind the answer. */
    asSystem(): Data
    /**
     * Makes a document of a template, of this plugin or another's, for the same caller; the template decides as always.
     */
    readonly documents: {
      render(wanted: {
        plugin?: string
        template: string
        params?: Record<string, unknown>
        format?: 'pdf' | 'html' | 'md' | 'txt' | 'docx'
      }): Promise<Uint8Array>
    }
    /** As everywhere, but it ends with the call. */
    fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
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

  /** A count, and one of second, minute, hour and day. */
  type CallLimit = `${number}/${'s' | 'm' | 'h' | 'd'}`

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
    /**
     * `false`: nobody gets as far as `allow` without a credential. `true`: nothing is asked for until `allow` or
     * `handle` asks `call.auth`.
     */
    public: Public
    /**
     * Only with `public: true`: credentials are not ours and are never resolved; `Authorization` and the query arrive
     * as they were sent.
     */
    credentials?: 'own'
    title?: string
    description?: string
    params?: Schema<Params>
    query?: Schema<Query>
    /** With a schema the body has to be JSON. */
    body?: Schema<Body>
    /**
     * The largest body, instead of ROWHOUSE_MAX_BODY_BYTES; ROWHOUSE_MAX_UPLOAD_BYTES is the most. Bodies are kept in
     * memory.
     */
    maxBodyBytes?: number
    /**
     * Origins whose pages may call it from a browser and read the answers, such as `https://shop.example`; `['*']` for
     * all. Never with the cookie of a user.
     */
    cors?: readonly string[]
    /**
     * The most calls from an address, and with a token: `'30/m'` is 30 in a minute. Counted for all instances together;
     * one too many is answered with 429 and `Retry-After`. `perToken` needs `public: false`.
     */
    limit?: { perIp?: CallLimit; perToken?: CallLimit }
    /** Answers are checked against it; one that does not fit is a mistake of the plugin. */
    response?: Schema<Result>
    /** Asked on every call, before `handle`. A refused stranger gets 401, a refused caller who is known 403. */
    allow: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Verdict | Promise<Verdict>
    handle: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Answer<Result> | Promise<Answer<Result>>
  }): Endpoint

  export interface DocumentTemplate {
    readonly '~documentTemplate': true
  }

  /** What a template shows: JSON, and pictures wherever they belong (a file of `files.read`, a Blob, bytes). */
  type DocumentData = Record<string, unknown>

  /**
   * A document, made at `/api/v1/documents/<plugin>/<template>`. It stands alone in `<template>/template.ts`, beside
   * its files. `load` gets the data as the caller; the files get what it returns, and no code.
   */
  export function documentTemplate<Public extends boolean, Params = Record<string, unknown>>(definition: {
    title: string
    /** As for endpoints. */
    public: Public
    params?: Schema<Params>
    allow: (call: Call<Params, Record<string, never>, undefined, Public extends false ? Actor : Caller>) => Verdict | Promise<Verdict>
    load: (
      call: Call<Params, Record<string, never>, undefined, Public extends false ? Actor : Caller>,
    ) => DocumentData | Promise<DocumentData>
    /**
     * The file of each format: Typst for PDF, Liquid for HTML, Markdown and text, Word. The first is the one that
     * nobody has to ask for.
     */
    formats: {
      pdf?: `${string}.typ`
      html?: `${string}.liquid`
      md?: `${string}.liquid`
      txt?: `${string}.liquid`
      docx?: `${string}.docx`
    }
  }): DocumentTemplate

  /**
   * For code that runs when the plugin is loaded: what it has begun (a timer, a connection) is to end when another
   * version of the plugin takes its place, with `--watch`, or when loading it fails. The end of the service runs none
   * of it.
   */
  export function onUnload(work: () => void | Promise<void>): void

  /**
   * Thrown, it answers the call in the service's envelope: `throw failure('not_found', 'There is no such article.')`.
   */
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
