import { queryOptions } from '@tanstack/react-query'
import type { AccessChange, AccessDocument, AccessImpact, ExplainQuery, NewAccessRule, RuleExplanation } from '../../../access/model'
import { toApiError } from './api-error'
import { send } from './client'
import { jsonHeaders } from './urls'

/** The access document with its version. */
export type FetchedAccess = AccessDocument & { etag: string }

const url = '/api/v1/access'

async function request<T>(path: string, init?: RequestInit): Promise<{ data: T; etag: string }> {
  const response = await send(url + path, init)
  if (!response.ok) throw await toApiError(response)
  return { data: (await response.json()) as T, etag: response.headers.get('etag') ?? '' }
}

export const accessQuery = queryOptions({
  queryKey: ['access'],
  queryFn: async (): Promise<FetchedAccess> => {
    const { data, etag } = await request<AccessDocument>('')
    return { ...data, etag }
  },
})

const put = (rules: readonly NewAccessRule[]) => ({ method: 'PUT', body: JSON.stringify({ rules }) })

/** The access that each user would gain or lose. @throws ApiError validation_failed, with the path of each problem */
export const tryRules = async (rules: readonly NewAccessRule[]): Promise<AccessImpact> =>
  (await request<AccessImpact>('?dryRun=true', { ...put(rules), headers: jsonHeaders })).data

/** @throws ApiError precondition_failed if somebody else has changed the document since it was fetched */
export async function saveRules(rules: readonly NewAccessRule[], etag: string): Promise<FetchedAccess> {
  const saved = await request<AccessDocument>('', { ...put(rules), headers: { ...jsonHeaders, 'if-match': etag } })
  return { ...saved.data, etag: saved.etag }
}

export const accessChangesQuery = queryOptions({
  queryKey: ['access', 'changes'],
  queryFn: async () => (await request<{ changes: AccessChange[] }>('/changes')).data.changes,
})

/** @throws ApiError not_found for a user, table or key that does not exist */
export const explain = async (asked: ExplainQuery): Promise<RuleExplanation> =>
  (await request<RuleExplanation>(`/explain?${new URLSearchParams(asked)}`)).data
