import { Elysia } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import { bodyText } from '../http/limits'
import { getTable } from '../tables/catalog'
import { describeCreate, describeDelete, describeList, describeRead, describeUpdate } from './description'
import { allowedVersions, entityTag, matchesNone } from './etag'
import { rawSegment, readKey, writeKey } from './key'
import { Page, RecordBody, RecordsBody } from './model'
import type { StoredRecord } from './reader'
import { createRecords, deleteRecord, getRecord, listRecords, updateRecord } from './service'

const json = 'application/json;charset=utf-8'
/** Where `{pk}` stands in `/api/v1/tables/{tableId}/records/{pk}`, counted from the first segment. */
const keySegment = 5

export const recordRoutes = (deps: Deps) => {
  const { db, catalog } = deps
  return new Elysia({ name: 'records/routes', prefix: '/api/v1/tables/:tableId/records', tags: ['records'] })
    .use(authHooks(deps))
    .get(
      '/',
      async ({ actor, params, query }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const page = await listRecords(db, table, query)
        const body = `{"records":${page.json},"nextCursor":${JSON.stringify(page.nextCursor)}}`
        return new Response(body, { headers: { 'content-type': json } })
      },
      { signedIn: 'data', query: Page, detail: describeList },
    )
    .post(
      '/',
      async ({ actor, params, body, request }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const records = await createRecords(db, table, body, bodyText(request))
        if (!Array.isArray(body)) return created(records[0]!, params.tableId)
        return new Response(`[${records.map((record) => record.json).join(',')}]`, { status: 201, headers: { 'content-type': json } })
      },
      {
        role: 'editor',
        body: RecordsBody,
        detail: describeCreate,
      },
    )
    .get(
      '/:pk',
      async ({ actor, params, request }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const record = await getRecord(db, table, readKey(table, rawSegment(request.url, keySegment)))
        const isKnown = matchesNone(request.headers.get('if-none-match'), record.version)
        return isKnown ? new Response(null, { status: 304, headers: versionHeaders(record) }) : answer(record, 200)
      },
      { signedIn: 'data', detail: describeRead },
    )
    .patch(
      '/:pk',
      async ({ actor, params, body, request }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const key = readKey(table, rawSegment(request.url, keySegment))
        const versions = allowedVersions(request.headers.get('if-match'))
        return answer(await updateRecord(db, table, key, body, bodyText(request), versions), 200)
      },
      {
        role: 'editor',
        body: RecordBody,
        detail: describeUpdate,
      },
    )
    .delete(
      '/:pk',
      async ({ actor, params, request, set }) => {
        const table = await getTable(catalog, actor, params.tableId)
        const key = readKey(table, rawSegment(request.url, keySegment))
        await deleteRecord(db, table, key, allowedVersions(request.headers.get('if-match')))
        set.status = 204
      },
      { role: 'editor', detail: describeDelete },
    )
}

const versionHeaders = ({ version }: StoredRecord) => ({ etag: entityTag(version), 'cache-control': 'private, no-cache' })

const answer = (record: StoredRecord, status: number, headers: Record<string, string> = {}) =>
  new Response(record.json, { status, headers: { 'content-type': json, ...versionHeaders(record), ...headers } })

const created = (record: StoredRecord, tableId: string) =>
  answer(record, 201, { location: `/api/v1/tables/${encodeURIComponent(tableId)}/records/${writeKey(record.key)}` })
