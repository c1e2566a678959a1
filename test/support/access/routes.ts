import * as histories from './histories'
import * as reads from './reads'
import type { Builder } from './requests'
import { referenceOf } from './world'
import * as writes from './writes'

const of =
  (method: string, path: (asked: Parameters<Builder>[0]) => string, body?: unknown): Builder =>
  (asked) => ({ method, path: path(asked), body })

const reference = (asked: Parameters<Builder>[0]) => referenceOf(asked.table)

/**
 * Every route that accesses records or reveals which tables exist, with its requests. A new route belongs here or in
 * the lists below.
 */
const askedRoutes: Record<string, Builder[]> = {
  'GET /api/v1/tables': [of('GET', () => '/api/v1/tables')],
  'GET /api/v1/tables/:tableId': [of('GET', (asked) => `/api/v1/tables/${reference(asked)}`)],
  'GET /api/v1/tables/:tableId/search-index': [of('GET', (asked) => `/api/v1/tables/${reference(asked)}/search-index`)],
  'GET /api/v1/tables/:tableId/view': [of('GET', (asked) => `/api/v1/tables/${reference(asked)}/view`)],
  'PUT /api/v1/tables/:tableId/view': [of('PUT', (asked) => `/api/v1/tables/${reference(asked)}/view`, { order: 'name' })],
  'GET /api/v1/tables/:tableId/views': [of('GET', (asked) => `/api/v1/tables/${reference(asked)}/views`)],
  'POST /api/v1/tables/:tableId/views': [of('POST', (asked) => `/api/v1/tables/${reference(asked)}/views`, { name: 'all', settings: {} })],
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [
      `${method} /api/v1/tables/:tableId/views/:viewId`,
      [of(method, (asked) => `/api/v1/tables/${reference(asked)}/views/${crypto.randomUUID()}`, method === 'PATCH' ? {} : undefined)],
    ]),
  ),
  'GET /api/v1/tables/:tableId/records': [
    ...[reads.list, reads.list, reads.aggregates, reads.groups, reads.search, reads.embedding, reads.embedding, reads.pages],
  ],
  'POST /api/v1/tables/:tableId/records': [writes.create, writes.createMany],
  'PATCH /api/v1/tables/:tableId/records': [writes.updateMany],
  'DELETE /api/v1/tables/:tableId/records': [writes.removeMany],
  'GET /api/v1/tables/:tableId/records/:pk': [reads.byKey, reads.ifNoneMatch],
  'PATCH /api/v1/tables/:tableId/records/:pk': [writes.update, writes.updateOld],
  'PUT /api/v1/tables/:tableId/records/:pk': [writes.replace, writes.replaceNew],
  'DELETE /api/v1/tables/:tableId/records/:pk': [writes.remove],
  'POST /api/v1/tables/:tableId/records/:pk/attachments/:columnId': [writes.upload],
  'GET /api/v1/tables/:tableId/records/:pk/attachments/:columnId/:fileId': [writes.download],
  'DELETE /api/v1/tables/:tableId/records/:pk/attachments/:columnId/:fileId': [writes.removeFile],
  'GET /api/v1/tables/:tableId/export.csv': [reads.exportCsv, reads.exportPeople],
  'GET /api/v1/tables/:tableId/export.xlsx': [reads.exportXlsx],
  'POST /api/v1/tables/:tableId/import': [writes.importNew, writes.importUpsert, writes.importByNumber],
  'POST /api/v1/batch': [writes.batch],
  'GET /rest/v1': [reads.restDescription],
  'GET /rest/v1/rpc/:function': [writes.rpcGet],
  'POST /rest/v1/rpc/:function': [writes.rpc],
  'GET /rest/v1/:table': [reads.restList, reads.restHead, reads.restCsv, reads.restObject, reads.embeddingByTable, writes.between],
  'POST /rest/v1/:table': [writes.restCreate, writes.restCreateQuietly, writes.restUpsert, writes.restUpsertByNumber, writes.restIgnore],
  'PATCH /rest/v1/:table': [writes.restUpdate, writes.restUpdateMany, writes.restUpdateCsv],
  'PUT /rest/v1/:table': [writes.restPut],
  'DELETE /rest/v1/:table': [writes.restRemove],
  'POST /api/v1/documents/:plugin/:template': [writes.document],
  'GET /api/v1/documents/:plugin/:template': [
    ({ table }) => ({ method: 'GET', path: `/api/v1/documents/probe/sheet?format=md&table=${referenceOf(table)}` }),
  ],
  'GET /api/v1/custom/probe/list/:table': [writes.customList],
  'GET /api/v1/custom/probe/find/:table/:key': [writes.customFind],
  'POST /api/v1/custom/probe/write/:table': [writes.customWrite],
  'GET /api/v1/custom/probe/sql/:schema/:table': [writes.customSql],
  'GET /api/v1/tables/:tableId/records/:pk/history': [histories.ofRecord, histories.ofRecord],
  'POST /api/v1/tables/:tableId/records/:pk/history/:id/restore': [histories.restoreRecord],
  'GET /api/v1/tables/:tableId/history': [histories.ofTable],
  'GET /api/v1/tables/:tableId/trash': [histories.trash, histories.trash],
  'POST /api/v1/tables/:tableId/trash/:id/restore': [histories.restoreDeleted],
  'POST /api/v1/changes/:requestId/undo': [histories.undo, histories.undo],
  'GET /api/v1/tables/:tableId/changes': [histories.feed, histories.feed],
  'GET /api/v1/changes': [histories.feedOfAll],
  'GET /swagger/json': [reads.description],
  'GET /api/v1/users/names': [of('GET', () => '/api/v1/users/names')],
}

/** Routes that neither read nor write records. Those of `/auth` and of pages are excluded by their prefix. */
const otherRoutes: string[] = [
  // Routes for administrators, who are exempt from rules.
  ...['GET /api/v1/audit', 'GET /api/v1/system', 'GET /api/v1/schemas/:schema/report', 'POST /api/v1/sample-data', 'GET /api/v1/plugins'],
  ...['GET', 'POST'].flatMap((method) => [`${method} /api/v1/users`, `${method} /api/v1/backups`]),
  ...['GET /api/v1/backups/:id', 'PATCH /api/v1/backups/:id', 'GET /api/v1/backups/:id/file'],
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/users/:id`),
  ...['POST /api/v1/users/:id/reset', 'DELETE /api/v1/users/:id/sessions'],
  ...['GET /api/v1/users/:id/tokens', 'POST /api/v1/users/:id/tokens', 'DELETE /api/v1/users/:id/tokens/:tokenId'],
  ...['GET /api/v1/groups', 'POST /api/v1/groups', 'GET /api/v1/groups/:id', 'PATCH /api/v1/groups/:id', 'DELETE /api/v1/groups/:id'],
  ...['PUT /api/v1/groups/:id/members/:userId', 'DELETE /api/v1/groups/:id/members/:userId'],
  ...['GET /api/v1/form-definitions', 'POST /api/v1/form-definitions'],
  ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/form-definitions/:name`),
  ...['GET /api/v1/access', 'PUT /api/v1/access', 'GET /api/v1/access/changes', 'GET /api/v1/access/explain'],
  ...['POST /api/v1/access/view', 'DELETE /api/v1/access/view'],
  'PUT /api/v1/tables/:tableId/history',
  ...['POST /api/v1/tables', 'PATCH /api/v1/tables/:tableId', 'DELETE /api/v1/tables/:tableId', 'POST /api/v1/tables/import'],
  ...['POST', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/tables/:tableId/columns${method === 'POST' ? '' : '/:columnId'}`),
  'POST /api/v1/tables/:tableId/columns/preview',
  // Routes for the caller's own tasks, by id: numbers of rows and bytes, and the problems of the caller's own imports.
  ...['GET /api/v1/exports/:id', 'GET /api/v1/imports/:id', 'DELETE /api/v1/imports/:id'],
  // Share links read with the rights of their issuer: test/links/rules.test.ts.
  ...['GET /api/v1/links', 'POST /api/v1/links', 'DELETE /api/v1/links/:id'],
  ...['GET /s/:token', 'POST /s/:token', 'GET /s/:token/files/:fileId', 'GET /s/*'],
  // Public forms create records and never read any: test/forms.
  ...['GET /api/v1/forms/:name', 'POST /api/v1/forms/:name', 'GET /f/:name', 'POST /f/:name', 'GET /f/:name/thanks', 'GET /f/*'],
  // The response is the same for every caller.
  ...['GET /api/v1/column-types', 'GET /api/v1/documents'],
]

const elsewhere =
  /^\w+ (\/(api\/v1\/)?(auth|healthz|readyz|version)(\/|$)|\/(setup|invite|sign-in|tables|settings|documents|assets|swagger)?(\/[*:].*)?$)/

/** Routes that are missing from the lists, and listed routes that no longer exist. */
export function unlistedRoutes(routes: readonly { method: string; path: string }[]): string[] {
  const there = routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  const listed = [...Object.keys(askedRoutes), ...otherRoutes]
  return [
    ...there.filter((route) => !listed.includes(route) && !elsewhere.test(route)),
    ...listed.filter((route) => !there.includes(route)),
  ]
}

export const allBuilders: Builder[] = Object.values(askedRoutes).flat()
