import type { RequestInfo } from '../../http/request-info'
import { sessionCookie } from './credential'

/** Spec 5.1.2: seven days. */
export const sessionSeconds = 7 * 24 * 60 * 60

/** SEC-36, SEC-37: host-only (no Domain), Secure wherever the browser came by https. */
const cookieAttributes = (maxAge: number, info: RequestInfo) =>
  `Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${info.isHttps ? '; Secure' : ''}`

export const setCookie = (secret: string, info: RequestInfo) => `${sessionCookie}=${secret}; ${cookieAttributes(sessionSeconds, info)}`
export const clearCookie = (info: RequestInfo) => `${sessionCookie}=; ${cookieAttributes(0, info)}`
