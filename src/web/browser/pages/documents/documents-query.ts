import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import type { Schema } from './schema-values'

/** A template that the user may render. `params` is the JSON Schema of its parameters. */
export type Template = { plugin: string; template: string; title: string; public: boolean; formats: string[]; params: Schema | null }

export const documentsQuery = queryOptions({
  queryKey: ['documents'],
  queryFn: async (): Promise<Template[]> => (await unwrap(api.documents.get())).documents,
})
