import type { Actor } from '../../auth/identity/actor'
import { Lru } from '../../lru'
import { type Catalog, indexTables, listedTables, narrowedTables, type Tables } from '../../tables/catalog/catalog'
import { isRecordWriter, rightsOf } from '../../tables/present'
import { describeRecordsOf, filterSchema, operationTemplates, type RecordPaths, type Templates } from './table-operations'

type Description = { tags: object[]; paths: RecordPaths; components: { schemas: object } & Record<string, object> }
type Base = { description: Description; bytes: Bytes; templates: Templates }
type Bytes = Uint8Array<ArrayBuffer>

/** Callers with the same rights share a description. With many tables, each has several megabytes. */
const maxCached = 8
/** The maximum time that other requests of the process wait. */
const sliceMs = 8

/**
 * Describes the API for one caller: all routes, and the tables with the columns and operations of this caller. The
 * result is cached for the catalogue version and the caller's rights.
 * @param describe creates the description of all routes; called once, when first needed
 */
export function createCallerDescriptions(catalog: Catalog, describe: () => Promise<object>) {
  let made: Promise<Base> | null = null
  const baseOf = () => {
    made ??= describe().then((description) => toBase(description as Description))
    return made
  }
  const cached = new Lru<string, { tables: Tables; bytes: Promise<Bytes> }>(maxCached)

  return async (actor: Actor | null): Promise<Bytes> => {
    const base = await baseOf()
    if (!actor) return base.bytes
    const tables = await narrowedTables(catalog, actor)
    const key = JSON.stringify([tables.rulesKey, isRecordWriter(actor), actor.token?.tables ?? null])
    const entry = cached.get(key)
    if (entry?.tables === tables) return entry.bytes
    const bytes = withTables(base, tables, actor)
    cached.set(key, { tables, bytes })
    return bytes
  }
}

const toBase = (description: Description): Base => ({
  description,
  bytes: bytesOf(JSON.stringify(description)),
  templates: operationTemplates(description.paths),
})

/** Created table by table, as bytes: encoding megabytes of text for each request would block the process. */
async function withTables({ description, bytes, templates }: Base, tables: Tables, actor: Actor): Promise<Bytes> {
  const listed = listedTables(tables, actor)
  const indexed = indexTables({ ...tables, list: listed })
  const parts: { tag: string; paths: Bytes; schemas: Bytes }[] = []
  let since = performance.now()
  for (const table of listed) {
    const part = describeRecordsOf(templates, table, indexed, rightsOf(table, actor))
    if (part) parts.push({ tag: part.tag, paths: members(part.paths), schemas: members(part.schemas) })
    if (performance.now() - since < sliceMs) continue
    await new Promise(setImmediate)
    since = performance.now()
  }
  if (parts.length === 0) return bytes
  const { tags, paths, components, ...rest } = description
  const { schemas, ...others } = components
  const allTags = [...parts.map(({ tag }) => tag), ...tags.map((tag) => JSON.stringify(tag))].join()
  return Buffer.concat([
    bytesOf(`{${inner(rest)},"tags":[${allTags}],"paths":{`),
    ...parts.map((part) => part.paths),
    bytesOf(`${inner(paths)}},"components":{${inner(others)},"parameters":${JSON.stringify(templates.parameters)},"schemas":{`),
    ...parts.map((part) => part.schemas),
    bytesOf(`${inner({ ...schemas, ColumnFilter: filterSchema })}}}}`),
  ])
}

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text)

/** Members of an object, followed by others. */
const members = (texts: readonly string[]): Bytes => bytesOf(texts.map((text) => `${text},`).join(''))

/** The members of an object as JSON, without the braces. */
const inner = (value: object): string => JSON.stringify(value).slice(1, -1)
