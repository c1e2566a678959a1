/**
 * The contract between Rowhouse and a plugin. `rowhouse plugins init` writes this file beside the plugins, so that an
 * editor knows the types of `import … from 'rowhouse/plugin'`; the executable itself provides that module when it loads
 * a plugin.
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

  /** For people: one text for all languages, or one per language. A language without a text uses the English one. */
  export type Text = string | { en: string; de?: string }

  interface Options {
    /** The label of the field in a document template's form, instead of the parameter's name. */
    title?: Text
    /** The help text of the field. */
    description?: Text
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
    /** `true` allows members that the schema does not name, `false` rejects them; without it they are dropped. */
    additionalProperties?: boolean
  }

  /** Makes schemas (TypeBox). A value from a URL is text and is converted to the type that its schema names. */
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

  /** The caller. `tables` of a token are ids; null means all. The credential itself is not available. */
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

  /** Identifies the caller, once, and only on demand. */
  export interface Auth {
    /**
     * The caller. Without one the call is answered with 401; with a token that is too narrow, or from another site,
     * with 403.
     */
    require(): Promise<Actor>
    /**
     * The caller, or null for an anonymous caller and an expired cookie. An invalid token is still answered with 401.
     */
    optional(): Promise<Actor | null>
  }

  /** Writes to the log of the service, with the name of the plugin. Values of its settings are redacted. */
  export interface Logger {
    debug(message: string, fields?: Record<string, unknown>): void
    info(message: string, fields?: Record<string, unknown>): void
    warn(message: string, fields?: Record<string, unknown>): void
    error(message: string, fields?: Record<string, unknown>): void
  }

  // ── The data ─────────────────────────────────────────────────────────────────────────────────────────────────────

  type Row = Record<string, unknown>
  /** The parts of a composite key in order, or one text with commas between them, as in a path. */
  export type Key = string | number | bigint | readonly (string | number | bigint)[]

  /** `rowhouse plugins types` writes the existing tables into this. */
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
  /** Every condition must hold: `{ state: 'open', total: { gte: 100 }, id: [1, 2, 3] }`. */
  export type Where<R> = { [K in keyof R]?: R[K] | readonly R[K][] | Comparison<NonNullable<R[K]>> }

  export interface ListQuery<R = Row> {
    where?: Where<R>
    select?: (keyof R & string)[]
    /** `name`, or `-name` for descending order. */
    order?: string | string[]
    limit?: number
    offset?: number
    cursor?: string
    count?: 'none' | 'exact' | 'estimated'
    /** Finds records that show the text, as `q` of the API does. */
    q?: string
  }

  export interface Records<R = Row> {
    /** The name of the table, which was given by its name or id. */
    tableName(): Promise<string>
    /**
     * Records as people write them, in `language` of the call: the name of each, and its values as texts: dates,
     * amounts with their currency, yes and no, the names of linked records.
     */
    texts(records: readonly R[]): Promise<{ name: string; values: Record<keyof R & string, string> }[]>
    /** The record with this key, or the first that meets the conditions; null if there is none. */
    find(keyOrWhere: Key | Where<R>): Promise<R | null>
    /** A page: by a query, or by the query string of `GET …/records` with all its grammar. At most 10,000 records. */
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
    /** Without an id, the first file of the cell; null for an empty cell. */
    read(table: string, key: Key, column: string, id?: string): Promise<StoredFile | null>
    write(table: string, key: Key, column: string, files: NewFile | NewFile[], options?: { replace?: boolean }): Promise<FileInfo[]>
  }

  /**
   * Numbers that JavaScript cannot hold are texts with all their digits. An error is answered as by the record routes.
   */
  export interface Data {
    records<Name extends string>(table: Name): Records<RowOf<Name>>
    /**
     * All or nothing. `work` can run more than once, if two transactions deadlock. Operations that it begins without an
     * `await` are awaited at its end, and their errors make it fail; after its end `tx` throws.
     */
    transaction<Result>(work: (tx: Pick<Data, 'records'>) => Promise<Result>): Promise<Result>
    readonly files: Files
    /**
     * Reads by SQL: sql`select count(*) from orders where customer = ${id}`. Every `${…}` becomes a parameter. The
     * query runs as a database role that can only read the served schemas (qualify names outside `data`); a token that
     * is restricted to tables cannot use it.
     */
    sql<R = Row>(texts: TemplateStringsArray, ...values: unknown[]): Promise<R[]>
  }

  type Caller = Actor | null

  /**
   * One request to an endpoint. It reaches the data that the caller may access: within their role, and a token's scope
   * and tables. An anonymous caller has no access, and no caller has access once the response is complete.
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
    /** The IP of the caller, as far as trusted proxies reveal it. */
    readonly address: string
    /** The language of texts for the caller, by `Accept-Language` or a document's `language=`; English if none fits. */
    readonly language: 'en' | 'de'
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
    /** The caller, if identified: always for `public: false`, otherwise once `auth` was called. */
    readonly actor: Who
    /** The data with the rights of the service, for every caller; also for work that continues after the response. */
    asSystem(): Data
    /**
     * Makes a document from a template, of this plugin or another's, for the same caller; the template's `allow`
     * decides as always.
     */
    readonly documents: {
      render(document: {
        plugin?: string
        template: string
        params?: Record<string, unknown>
        format?: 'pdf' | 'html' | 'md' | 'txt' | 'docx'
      }): Promise<Uint8Array>
    }
    /** Like the global `fetch`, but ends with the call. */
    fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
    /** Aborted at the time limit, and when the caller disconnects. */
    readonly signal: AbortSignal
    readonly log: Logger
    /** `settings.toml` beside the plugin, overridden by `ROWHOUSE_PLUGIN_<PLUGIN>__<NAME>` in the environment. */
    readonly settings: Readonly<Record<string, unknown>>
  }

  // ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether the call may proceed. Only `true` allows it; a text is the reason shown to a rejected caller. */
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
     * `false`: a call without a credential never reaches `allow`. `true`: no credential is read until `allow` or
     * `handle` uses `call.auth`.
     */
    public: Public
    /**
     * Only with `public: true`: the credentials are not Rowhouse's and are never resolved; `Authorization` and the
     * query arrive as they were sent.
     */
    credentials?: 'own'
    title?: string
    description?: string
    params?: Schema<Params>
    query?: Schema<Query>
    /** With a schema the body must be JSON. */
    body?: Schema<Body>
    /**
     * The largest body, instead of ROWHOUSE_MAX_BODY_BYTES; at most ROWHOUSE_MAX_UPLOAD_BYTES. Bodies are held in
     * memory.
     */
    maxBodyBytes?: number
    /**
     * Origins whose pages may call it from a browser and read the responses, such as `https://shop.example`; `['*']`
     * for all. Never with a user's cookie.
     */
    cors?: readonly string[]
    /**
     * The maximum number of calls per IP, and per token: `'30/m'` is 30 in a minute. Counted for all instances
     * together; a call beyond it is answered with 429 and `Retry-After`. `perToken` needs `public: false`.
     */
    limit?: { perIp?: CallLimit; perToken?: CallLimit }
    /** Responses are checked against it; one that does not fit is a bug of the plugin. */
    response?: Schema<Result>
    /**
     * Called for every request, before `handle`. A rejected anonymous caller gets 401, a rejected signed-in caller 403.
     */
    allow: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Verdict | Promise<Verdict>
    handle: (call: Call<Params, Query, Body, Public extends false ? Actor : Caller>) => Answer<Result> | Promise<Answer<Result>>
  }): Endpoint

  export interface DocumentTemplate {
    readonly '~documentTemplate': true
  }

  /** The data of a template: JSON, with images anywhere in it (a file of `files.read`, a Blob, bytes). */
  type DocumentData = Record<string, unknown>

  /**
   * A document, available at `/api/v1/documents/<plugin>/<template>`. It is declared in `<template>/template.ts`,
   * alone, beside its files. `load` runs as the caller; the files get its result, and no code.
   */
  export function documentTemplate<
    Public extends boolean,
    Params = Record<string, unknown>,
    Loaded extends DocumentData = DocumentData,
  >(definition: {
    title: Text
    /** The same as for endpoints. */
    public: Public
    params?: Schema<Params>
    /**
     * The records in whose menus the web UI offers the document: those of `table`, or with `tableParam` those of all
     * tables, whose id this parameter gets. The parameter `key` gets the primary key; if it is a list, the document is
     * also offered for several records at once.
     */
    for?: { table: string; key: string } | { tableParam: string; key: string }
    allow: (call: Call<Params, Record<string, never>, undefined, Public extends false ? Actor : Caller>) => Verdict | Promise<Verdict>
    load: (call: Call<Params, Record<string, never>, undefined, Public extends false ? Actor : Caller>) => Loaded | Promise<Loaded>
    /**
     * The name of the file, without its extension. By default the title and the name of the record, with `for`; else
     * the name of the template.
     */
    fileName?: (data: Loaded) => string
    /**
     * The main file of each format: Typst for PDF, Liquid for HTML, Markdown and text, Word. The first one is the
     * default.
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
   * For code that runs when the plugin is loaded: stops what it has started (a timer, a connection) when another
   * version of the plugin replaces it, with `--watch`, or when loading it fails. It does not run when the service ends.
   */
  export function onUnload(work: () => void | Promise<void>): void

  /**
   * Throw it to answer the call with the service's error format: `throw failure('not_found', 'There is no such
   * article.')`.
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
