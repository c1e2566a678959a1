import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ChangePage, RequestPage, TrashPage, UndoReport } from '../../../../changes/model'
import type { TableView } from '../../../../tables/model'
import { ApiError } from '../../api/api-error'
import { api, send, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { recordUrl, tableUrl } from '../../api/urls'
import { readJson } from '../values/cell-values'
import { type FetchedRecord, fetchRecord, recordQuery, type WriteResult } from '../values/record-queries'

/** A paginated list from the log, without structural sharing, which would copy the exact numbers. */
const pagesQuery = <Page extends { nextBefore: string | null }>(queryKey: readonly string[], url: string, limit: number) =>
  infiniteQueryOptions({
    queryKey,
    staleTime: 0,
    structuralSharing: false,
    initialPageParam: '',
    queryFn: async ({ pageParam }) => readJson<Page>(await send(`${url}?limit=${limit}${pageParam && `&before=${pageParam}`}`)),
    getNextPageParam: ({ nextBefore }) => nextBefore,
  })

/** The changes of a record, the latest first. Writes of the table's records refresh it (`invalidateRecords`). */
export const historyQuery = (table: TableView, segment: string) =>
  pagesQuery<ChangePage>(['records', table.id, 'history', segment], `${recordUrl(table.id, segment)}/history`, 20)

/** The requests that changed records of a table, the latest first. */
export const requestsQuery = (table: TableView) =>
  pagesQuery<RequestPage>(['records', table.id, 'requests'], `${tableUrl(table.id)}/history`, 50)

/** The deleted records of a table, the latest first. */
export const trashQuery = (table: TableView) => pagesQuery<TrashPage>(['records', table.id, 'trash'], `${tableUrl(table.id)}/trash`, 50)

/** Whether the changes of a table are logged. */
export const loggedQuery = (table: TableView) =>
  queryOptions({
    queryKey: ['logged', table.id],
    staleTime: 60_000,
    queryFn: async () => (await readJson<RequestPage>(await send(`${tableUrl(table.id)}/history?limit=1`))).logged,
  })

/**
 * @returns whether the changes are logged now; false if the log is off for all tables
 * @throws ApiError conflict for tables that cannot be logged
 */
export async function setLogged(table: TableView, isLogged: boolean): Promise<boolean> {
  await unwrap(api.tables({ tableId: table.id }).history.put({ logged: isLogged }))
  await queryClient.invalidateQueries(requestsQuery(table))
  return queryClient.fetchQuery({ ...loggedQuery(table), staleTime: 0 })
}

const postForRecord = (url: string, headers: Record<string, string> = {}): Promise<WriteResult> =>
  fetchRecord(url, { method: 'POST', headers })

export type Restoration = { table: TableView; segment: string; changeId: string; etag: string }

/**
 * Restores the values that a record had after a change, if the displayed version is still current. Otherwise fetches
 * the record again and fails.
 * @throws ApiError precondition_failed, validation_failed, conflict …
 */
export async function restoreChange({ table, segment, changeId, etag }: Restoration, isDryRun: boolean): Promise<WriteResult> {
  const url = `${recordUrl(table.id, segment)}/history/${changeId}/restore${isDryRun ? '?dryRun=true' : ''}`
  try {
    return await postForRecord(url, { 'if-match': etag })
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) await queryClient.invalidateQueries(recordQuery(table, segment))
    throw error
  }
}

/** @throws ApiError conflict if the key or a unique value is taken */
export const restoreFromTrash = (table: TableView, changeId: string): Promise<FetchedRecord> =>
  postForRecord(`${tableUrl(table.id)}/trash/${changeId}/restore`)

/** The result of an undo or of its dry run. `ownId` is the id of the undo request, which can itself be undone. */
export type UndoResult = { report: UndoReport; ownId: string | null }

/** @throws ApiError conflict with the list `changedSince`, or the `tables` that have been used since then */
export async function undoChanges(
  requestId: string,
  query: { dryRun?: boolean; skipChanged?: boolean; confirm?: string },
): Promise<UndoResult> {
  const answer = await api.changes({ requestId: encodeURIComponent(requestId) }).undo.post(undefined, { query })
  const report = await unwrap(Promise.resolve(answer))
  return { report, ownId: answer.response.headers.get('x-request-id') }
}

/**
 * Undoes a request, except for records that were changed since, which `since` reports.
 * @throws ApiError not_found if the changes are not logged
 */
export async function undoUnchanged(requestId: string): Promise<UndoResult & { since?: unknown }> {
  try {
    return await undoChanges(requestId, {})
  } catch (since) {
    if (!isChangedSince(since)) throw since
    return { ...(await undoChanges(requestId, { skipChanged: true })), since }
  }
}

/** A dry run of an undo that skips records changed since, and reports them. @throws ApiError */
export async function previewUndo(requestId: string): Promise<UndoReport> {
  try {
    return (await undoChanges(requestId, { dryRun: true })).report
  } catch (error) {
    if (!isChangedSince(error)) throw error
    return (await undoChanges(requestId, { dryRun: true, skipChanged: true })).report
  }
}

export const isChangedSince = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && (error.body.details?.changedSince ?? error.body.details?.tables) !== undefined

/** A request may have changed records of several tables. */
export const invalidateAllRecords = () =>
  Promise.all(['records', 'record'].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] })))
