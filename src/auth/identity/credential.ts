/** How a credential was sent: `Authorization: Bearer`, the query parameter `token`, the cookie `service_session`. */
export type Transport = 'bearer' | 'query' | 'cookie'

/** The one credential that decides this request. One with a `fault` cannot be valid, so the database is not queried. */
export type Credential = { from: Transport; secret: string; fault?: 'malformed' | 'repeated' }

/** The raw values of a request. Frameworks merge repeated parameters and cookies, which R5 and R6 must see. */
export type Places = { authorization: string | null; search: string; cookie: string | null }

export const sessionCookie = 'service_session'
export const tokenParameter = 'token'

/**
 * 32 random bytes in base64url without padding. Tokens and session ids have this form; any other secret is rejected
 * without a lookup (R4).
 */
const secretForm = /^[A-Za-z0-9_-]{43}$/

/**
 * The first place that holds a credential decides: header, query, cookie. Later places are ignored
 * (docs/authentication.md, R1, R2).
 */
export const readCredential = (places: Places): Credential | null =>
  fromBearer(places) ?? fromQuery(places) ?? readSessionCookie(places.cookie)

/** R3, R4: anything after the scheme `Bearer` is meant for us; another scheme belongs to another service. */
function fromBearer({ authorization }: Places): Credential | null {
  if (!authorization || !/^bearer(?![\w!#$%&'*+.^`|~-])/i.test(authorization)) return null
  // RFC 6750 section 2.1: one or more spaces, and no tab.
  return withFault('bearer', authorization.slice('bearer'.length).replace(/^ +/, ''))
}

/** R3, R5: an empty parameter counts as absent; a repeated one is rejected, whatever the values. */
function fromQuery({ search }: Places): Credential | null {
  if (search.length < 2) return null
  const values = new URLSearchParams(search).getAll(tokenParameter)
  if (values.every((value) => value === '')) return null
  return values.length > 1 ? { from: 'query', secret: '', fault: 'repeated' } : withFault('query', values[0]!)
}

/**
 * R3, R6: any value counts as present; two different ones are rejected, since their order has no meaning (RFC 6265
 * section 4.2.2).
 */
export function readSessionCookie(cookie: string | null): Credential | null {
  if (!cookie) return null
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair === sessionCookie || pair.startsWith(`${sessionCookie}=`))
    .map((pair) => pair.slice(sessionCookie.length + 1))
  if (values.length === 0) return null
  return values.every((value) => value === values[0]) ? withFault('cookie', values[0]!) : { from: 'cookie', secret: '', fault: 'repeated' }
}

const withFault = (from: Transport, secret: string): Credential =>
  secretForm.test(secret) ? { from, secret } : { from, secret: '', fault: 'malformed' }
