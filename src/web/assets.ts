import { extname } from 'node:path'
// Made by build/web.ts from browser/.
import archive from '../../.build/web.tar' with { type: 'file' }

/** A browser file, held only in compressed form: few clients accept no compression. */
type Asset = { type: string; etag: string; br: Uint8Array<ArrayBuffer>; gzip: Uint8Array<ArrayBuffer>; text?: string }

const types: Record<string, string> = {
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript;charset=utf-8',
  '.css': 'text/css;charset=utf-8',
  '.svg': 'image/svg+xml',
}

let loading: Promise<Map<string, Asset>> | null = null

/** @param headers the route's headers for caching and content security */
export async function answerAsset(name: string, request: Request, headers: Record<string, string>): Promise<Response | null> {
  loading ??= load()
  const asset = (await loading).get(name)
  return asset ? answer(asset, request.headers, headers) : null
}

/** The text of a page, for callers that insert something; null if there is no such page. */
export async function assetText(name: string): Promise<string | null> {
  loading ??= load()
  const asset = (await loading).get(name)
  if (!asset) return null
  asset.text ??= new TextDecoder().decode(Bun.gunzipSync(asset.gzip))
  return asset.text
}

async function load(): Promise<Map<string, Asset>> {
  const files = await new Bun.Archive(await Bun.file(archive).bytes()).files()
  const bytes = (name: string) => files.get(name)!.bytes()
  const names = [...files.keys()].filter((name) => name.endsWith('.br')).map((name) => name.slice(0, -'.br'.length))
  const entry = async (name: string): Promise<[string, Asset]> => {
    const [br, gzip] = await Promise.all([bytes(`${name}.br`), bytes(`${name}.gz`)])
    // Weak: one tag for the same content, however it is compressed (RFC 9110 section 8.8.1).
    return [name, { type: types[extname(name)]!, etag: `W/"${Bun.hash(br).toString(36)}"`, br, gzip }]
  }
  return new Map(await Promise.all(names.map(entry)))
}

function answer({ type, etag, br, gzip }: Asset, requestHeaders: Headers, given: Record<string, string>): Response {
  const headers: Record<string, string> = { vary: 'Accept-Encoding', ...given, etag }
  if (isKnown(requestHeaders.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  const accepted = requestHeaders.get('accept-encoding') ?? ''
  headers['content-type'] = type
  if (accepts(accepted, 'br')) return new Response(br, { headers: { ...headers, 'content-encoding': 'br' } })
  if (accepts(accepted, 'gzip')) return new Response(gzip, { headers: { ...headers, 'content-encoding': 'gzip' } })
  return new Response(Bun.gunzipSync(gzip), { headers })
}

const isKnown = (header: string | null, etag: string) => header?.split(',').some((tag) => ['*', etag].includes(tag.trim())) ?? false

const accepts = (header: string, coding: string) =>
  header.split(',').some((item) => {
    const [name, ...parameters] = item.toLowerCase().replaceAll(' ', '').split(';')
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
