import { queryOptions } from '@tanstack/react-query'
import { currentLanguage } from '../language'
import { api, unwrap } from './client'

/** The part of JSON Schema that forms support. Parameters of other schemas are entered as JSON. */
export type Schema = {
  type?: string
  title?: string
  description?: string
  default?: unknown
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  maxLength?: number
}

/**
 * A template that the user may render. `params` is the JSON Schema of its parameters, `for` the records that it is
 * about (docs/plugins.md).
 */
export type Template = {
  plugin: string
  template: string
  title: string
  public: boolean
  formats: string[]
  params: Schema | null
  for: { table?: string; tableParam?: string; key: string } | null
}

/** Titles and help texts are in the current language. */
export const documentsQuery = () =>
  queryOptions({
    queryKey: ['documents', currentLanguage()],
    // The form keeps its input when the language changes.
    placeholderData: (before: Template[] | undefined) => before,
    queryFn: async (): Promise<Template[]> => (await unwrap(api.documents.get())).documents,
  })
