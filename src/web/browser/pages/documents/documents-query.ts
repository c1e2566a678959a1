import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api/client'
import type { Schema } from './schema-values'

/** A template that I may use. `params` is the JSON schema of what it needs. */
export type Template = { plugin: string; template: string; title: string; public: boolean; formats: string[]; params: Schema | null }

export const documentsQuery = queryOptions({
  queryKey: ['documents'],
  queryFn: async (): Promise<Template[]> => (await take(api.documents.get())).documents,
})
