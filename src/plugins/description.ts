import type { TSchema } from '@sinclair/typebox'
import type { DocumentDecoration } from 'elysia'
import { optionalCredential } from '../auth/hooks'
import type { PluginEndpoint } from './load/declaration'

/** Describes an endpoint for `/swagger`, by the schemas that check its calls. */
export function describeEndpoint(plugin: string, endpoint: PluginEndpoint): DocumentDecoration {
  const { method, path, title, description, params, query, body, response, limit } = endpoint
  return {
    tags: ['custom'],
    summary: title ?? `${plugin}: ${method} ${path}`,
    description: [description, whoOf(endpoint)].filter(Boolean).join(' '),
    parameters: [...parameters('path', params?.schema), ...parameters('query', query?.schema)],
    ...(body ? { requestBody: { required: true, content: json(body.schema) } } : {}),
    ...(endpoint.isPublic && !endpoint.isOwn ? { security: optionalCredential } : {}),
    responses: {
      200: { description: 'The response of the plugin.', ...(response ? { content: json(response.schema) } : {}) },
      ...(limit ? { 429: { description: 'Too many calls; `Retry-After` says when to try again.' } } : {}),
    },
  } as DocumentDecoration
}

function whoOf({ isPublic, isOwn }: PluginEndpoint): string {
  if (isOwn) return 'Public: the plugin decides who may call, with credentials of its own.'
  return isPublic
    ? 'Public: the plugin decides on every call whether a login is needed.'
    : 'Needs a login; the plugin then decides on every call.'
}

/** The schema without TypeBox's own symbols. */
const json = (schema: TSchema) => ({ 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } })

function parameters(location: 'path' | 'query', schema: TSchema | undefined) {
  const properties: Record<string, TSchema> = schema?.properties ?? {}
  const required: string[] = schema?.required ?? []
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description: each.description,
    schema: JSON.parse(JSON.stringify(each)),
  }))
}
