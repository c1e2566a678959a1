import Negotiator from 'negotiator'
import { infoOf } from '../../http/request/request-info'
import { searchOf } from '../../http/request/url'
import type { Visit } from './openings'

/** The parameter in the URLs of files and further pages. */
const openingParameter = 'opening'
const openingCookie = 'link_opening'
const passwordHeader = 'x-link-password'

/** The parts of a request to the link with this secret. The service's credentials are ignored. */
export function visitOf(request: Request, secret: string | null): Visit {
  const { headers } = request
  return {
    secret: secret ?? '',
    grant: parametersOf(request).get(openingParameter) ?? '',
    cookie: cookieIn(headers.get('cookie')),
    password: headerText(headers.get(passwordHeader)),
    isPrefetch: /\bprefetch\b/i.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? ''),
    isHead: request.method === 'HEAD',
    info: infoOf(request),
  }
}

export const parametersOf = ({ url }: Request): URLSearchParams => new URLSearchParams(searchOf(url))

/** A page, unless JSON is requested. */
export const wantsJson = ({ headers }: Request): boolean =>
  new Negotiator({ headers: { accept: headers.get('accept') ?? '*/*' } }).mediaType(['text/html', 'application/json']) ===
  'application/json'

function cookieIn(header: string | null): string {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? []
  return pairs.find((pair) => pair.startsWith(`${openingCookie}=`))?.slice(openingCookie.length + 1) ?? ''
}

/** The bytes of a header are usually UTF-8 (curl sends the terminal's) and arrive as one character each. */
function headerText(value: string | null): string | null {
  if (value === null || /[^\u0000-\u00ff]/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/** Only for this link, and not for scripts, other sites or other paths of the service. */
export const openingCookieFor = (secret: string, { grant, seconds }: { grant: string; seconds: number }, isHttps: boolean): string =>
  `${openingCookie}=${grant}; Max-Age=${seconds}; Path=/s/${secret}; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`

/** A URL of the link, with the grant of its opening. */
export function linkAddress(secret: string, path: string, grant: string | null, parameters: Record<string, string | null> = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) search.set(name, value)
  if (grant !== null) search.set(openingParameter, grant)
  return `/s/${secret}${path}${search.size ? `?${search}` : ''}`
}
