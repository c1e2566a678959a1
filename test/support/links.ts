import { json, type TestApp } from './app'

/** A link as its creator receives it; `path` opens it. */
export type MadeLink = { id: string; url: string; path: string }

type Maker = 'admin' | 'editor' | 'viewer'

/** Creates a share link over HTTP. */
export async function makeLink(app: TestApp, body: object, as: Maker = 'editor'): Promise<MadeLink> {
  const response = await app.call('/api/v1/links', { as, body })
  const made = await json(response)
  if (response.status !== 201) throw new Error(`Making a link answered ${response.status}: ${JSON.stringify(made)}`)
  return { ...made, path: made.url.slice(made.url.indexOf('/s/')) }
}

export const asJson = { accept: 'application/json' }

/** The response of an open link to a program. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test is about
export const openAsJson = async (app: TestApp, path: string, headers: Record<string, string> = {}): Promise<any> =>
  json(app.call(path, { headers: { ...asJson, ...headers } }))

export const statusOf = async (app: TestApp, path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await app.call(path, { headers })).status
