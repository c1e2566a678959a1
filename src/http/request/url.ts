import { isIPv6 } from 'node:net'

const hostPattern = /^(?:[a-z0-9._-]{1,255}|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?$/i

/** The host of the latest request that had one: nearly always the same for the next. */
let hostCache = 'localhost'

/**
 * `name`, `192.0.2.1` or `[2001:db8::1]`, each with or without a port. A host that no URL can hold (`256.256.256.256`,
 * `xn--a`) is invalid.
 */
export function isHost(text: string): boolean {
  if (text === hostCache) return true
  const [found, v6, port] = hostPattern.exec(text) ?? []
  if (found === undefined || (v6 !== undefined && !isIPv6(v6)) || Number(port ?? 0) > 65535 || !URL.canParse(`http://${text}`)) return false
  hostCache = text
  return true
}

/** Without the query, which can hold a token (SEC-50). Does not use `new URL`, which throws for some callers' URLs. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

/** The form of a share link's secret: 43 characters of base64url. */
const secretInPath = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g

/**
 * The path for logs. The URL of a share link holds a secret, which is left out, even if the link was copied with
 * trailing text or opened below another path.
 */
export function loggablePath(url: string): string {
  const start = pathStart(url)
  if (url.startsWith('/api/', start) || url.startsWith('/rest/', start)) return pathOf(url)
  return pathOf(url)
    .replace(secretInPath, '…')
    .replace(/^(\/+s\/+)[^/]+/i, '$1…')
}

/** `?…`, including any credential in it; empty if there is no query. */
export function searchOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** Elysia looks for the path from here on: in anything shorter than `http://host` it finds none. */
const minPathStart = 'http://'.length + 4

const maxParameters = 1000

/** A name of one letter, and one character before it. */
const minParameterLength = 2

/** Whether a query has more parameters than any route takes. Each of them costs the code that reads them. */
export function hasTooManyParameters(url: string): boolean {
  if (url.length <= maxParameters * minParameterLength) return false
  const search = searchOf(url)
  let count = 0
  for (let start = 1; start < search.length && count <= maxParameters; ) {
    const end = search.indexOf('&', start)
    const next = end < 0 ? search.length : end
    if (next > start) count++
    start = next + 1
  }
  return count > maxParameters
}

/**
 * Gives the request a URL that Elysia can route. Does not copy the request: in Bun 1.4.5 the body of a copy cannot be
 * cancelled.
 */
export function makeRoutable(request: Request): void {
  const { url } = request
  const start = pathStart(url)
  if (start < minPathStart) Object.defineProperty(request, 'url', { value: `http://localhost${url.slice(start)}` })
}

/** Bun leaves the origin out if there is no `Host` header. */
const pathStart = (url: string) => (url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2))
