import type { RequestInfo } from '../../http/request/request-info'
import { sessionCookie } from './credential'

/** Seven days, as documented in docs/authentication.md. */
export const sessionSeconds = 7 * 24 * 60 * 60

/** Host-only (no Domain), and Secure when the browser uses https: SEC-36 and SEC-37 of docs/security-checklist.md. */
const cookieAttributes = (maxAge: number, info: RequestInfo) =>
  `Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${info.isHttps ? '; Secure' : ''}`

export const setCookie = (secret: string, info: RequestInfo) => `${sessionCookie}=${secret}; ${cookieAttributes(sessionSeconds, info)}`
export const clearCookie = (info: RequestInfo) => `${sessionCookie}=; ${cookieAttributes(0, info)}`
