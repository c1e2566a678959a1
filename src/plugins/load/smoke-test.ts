import { Value } from '@sinclair/typebox/value'
import type { PluginEndpoint } from './declaration'
import type { Plugin } from './load'
import type { Checker } from './schemas'
import type { PluginTemplate } from './template'

/** One call of the smoke test. `isOwn` is true for an endpoint with its own credentials. */
export type SmokeTestCall = {
  plugin: string
  method: string
  path: string
  url: string
  body: string | null
  isPublic: boolean
  isOwn: boolean
}

/** One call of every endpoint and template, with made-up values that fit the schemas where possible. */
export const smokeTestCalls = (plugins: readonly Plugin[]): SmokeTestCall[] =>
  plugins.flatMap(({ name, endpoints, templates }) => [
    ...endpoints.map((endpoint) => endpointCall(name, endpoint)),
    ...templates.map((template) => templateCall(name, template)),
  ])

function endpointCall(plugin: string, endpoint: PluginEndpoint): SmokeTestCall {
  const { method, path, params, query, body, isPublic, isOwn } = endpoint
  const parts = sample(params)
  // A part of a path is never empty, but the sample of a text is.
  const filled = path.replace(/:(\w+)|\*/g, (_, name = '') => encodeURIComponent(String(parts[name] ?? 1) || '1'))
  const fullPath = `/api/v1/custom/${plugin}${path === '/' ? '' : path}`
  const url = `/api/v1/custom/${plugin}${filled}${searchOf(sample(query))}`
  return { plugin, method, path: fullPath, url, body: body ? JSON.stringify(sample(body)) : null, isPublic, isOwn }
}

function templateCall(plugin: string, { name, params, isPublic }: PluginTemplate): SmokeTestCall {
  const path = `/api/v1/documents/${plugin}/${name}`
  return { plugin, method: 'GET', path, url: path + searchOf(sample(params)), body: null, isPublic, isOwn: false }
}

function sample(checker: Checker | undefined): Record<string, unknown> {
  if (!checker) return {}
  try {
    return Value.Create(checker.schema) as Record<string, unknown>
  } catch {
    // No sample fits the schema, for example because of a pattern. The call is then answered with 422.
    return {}
  }
}

const searchOf = (values: Record<string, unknown>): string => {
  const pairs = Object.entries(values).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]))
  return pairs.length ? `?${new URLSearchParams(pairs)}` : ''
}
