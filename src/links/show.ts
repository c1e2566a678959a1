import type { FileView } from '../attachments/model'
import { type Actor, canNameUsers } from '../auth/identity/actor'
import type { Deps } from '../deps'
import { exactJson } from '../exact-json'
import { languageOf } from '../http/request/language'
import { columnOf, readNames } from '../records/display/names'
import { scalarText } from '../records/display/text'
import { writeKey } from '../records/store/key'
import { getTable } from '../tables/catalog/catalog'
import { restrictedColumns } from '../tables/catalog/restricted-columns'
import { linkHeaders } from './opening/headers'
import type { Opening } from './opening/openings'
import { closedLink } from './opening/refusal'
import { linkAddress, parametersOf, wantsJson } from './opening/visit'
import { filePage, listPage, recordPage } from './page/pages'
import type { LinkedFile } from './page/values'
import { filesIn, mapFiles, type SharedValues } from './shared/shared-files'
import { type PagePlace, readSharedList, readSharedRecord, type Shared } from './shared/shared-record'

type ShowDeps = Pick<Deps, 'db' | 'catalog'>

/** Shows the target of an open link, except a document: as a page, or as JSON. */
export function showLink(deps: ShowDeps, opening: Opening, secret: string, request: Request): Promise<Response> {
  const { kind } = opening.link
  const show = kind === 'list' ? showList : kind === 'file' ? showFile : showRecord
  return show(deps, opening, secret, request)
}

/** The names of the records and users to which records refer, with the issuer's rights. */
async function readLinkNames(
  { db, catalog }: ShowDeps,
  { table, tables, actor, outputs }: Shared,
  records: readonly SharedValues[],
  request: Request,
) {
  const values = outputs.flatMap((output) => {
    const column = columnOf(output)
    return column ? [[column, records.map((record) => record[output.name])] as const] : []
  })
  const getNamed = (id: string) => getTable(catalog, actor, id)
  // The issuer has not chosen these columns, so a visitor does not get any that some users may not read.
  const restricted = restrictedColumns(await catalog.at(actor.catalogVersion))
  const language = languageOf(request)
  return readNames({ executor: db, tables, getTable: getNamed, canNameUsers: canNameUsers(actor), restricted, language }, table, values)
}

async function showRecord(deps: ShowDeps, { link, actor, grant, count }: Opening, secret: string, request: Request) {
  const shared = await readSharedRecord(deps, actor, link, link)
  const record = withFiles(shared, exactJson(shared.json) as SharedValues, (id) => linkAddress(secret, `/files/${id}`, grant))
  if (wantsJson(request)) {
    await count()
    return jsonAnswer({ kind: 'record', table: shared.table.name, record })
  }
  const names = await readLinkNames(deps, shared, [record], request)
  await count()
  return recordPage(frameOf(link, request), shared, record, names)
}

async function showList(deps: ShowDeps, { link, actor, grant, count }: Opening, secret: string, request: Request) {
  const shared = await readSharedList(deps, actor, link, placeOf(request))
  const records = (exactJson(shared.json) as SharedValues[]).map((record) => {
    const row = rowKeyOf(shared, record)
    return withFiles(shared, record, (id) => (row === null ? null : linkAddress(secret, `/files/${id}`, grant, { row })))
  })
  const next = shared.next && linkAddress(secret, '', grant, { [shared.next[0]]: shared.next[1] })
  if (wantsJson(request)) {
    await count()
    return jsonAnswer({ kind: 'list', table: shared.table.name, records, next })
  }
  const names = await readLinkNames(deps, shared, records, request)
  await count()
  return listPage(frameOf(link, request), shared, records, names, next)
}

async function showFile(deps: ShowDeps, { link, actor, grant, count }: Opening, secret: string, request: Request) {
  const { table, file } = await findSharedFile(deps, actor, link, link.fileId!)
  await count()
  const linked = { ...file, url: linkAddress(secret, `/files/${file.id}`, grant) }
  if (wantsJson(request)) return jsonAnswer({ kind: 'file', file: linked })
  return filePage(frameOf(link, request), table.name, linked, linkAddress(secret, `/files/${file.id}`, grant, { download: '1' }))
}

/** @throws Failure not_found */
async function findSharedFile(deps: ShowDeps, actor: Actor, link: Opening['link'], fileId: string): Promise<Shared & { file: FileView }> {
  const shared = await readSharedRecord(deps, actor, link, link)
  const file = filesIn(shared.outputs, exactJson(shared.json) as SharedValues).find(({ id }) => id === fileId)
  if (!file) throw closedLink()
  return { ...shared, file }
}

const frameOf = ({ expiresAt }: Opening['link'], request: Request) => ({ language: languageOf(request), expiresAt })

/** A record whose files have URLs below the link instead of those that require sign-in. */
const withFiles = ({ outputs }: Shared, record: SharedValues, address: (id: string) => string | null): SharedValues =>
  mapFiles(outputs, record, (file): LinkedFile => ({ ...file, url: address(file.id) }))

/**
 * The key of a row of a list, by which its files can be found again: from its own columns, or else from the URL of one
 * of its files. Null if neither is visible.
 */
function rowKeyOf({ table, outputs }: Shared, record: SharedValues): string | null {
  const parts = table.primaryKey.map((name) => {
    const output = outputs.find((each) => columnOf(each)?.name === name)
    return output ? scalarText(record[output.name]) : null
  })
  if (parts.length > 0 && parts.every((part) => part !== null)) return writeKey(parts)
  const own = outputs.filter((output) => columnOf(output)?.type === 'attachment')
  const [file] = filesIn(own, record)
  return (file && /\/records\/([^/]+)\/attachments\//.exec(file.url)?.[1]) ?? null
}

export const jsonAnswer = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json;charset=utf-8', ...linkHeaders } })

function placeOf(request: Request): PagePlace {
  const parameters = parametersOf(request)
  return { cursor: parameters.get('cursor') ?? undefined, offset: parameters.get('offset') ?? undefined }
}
