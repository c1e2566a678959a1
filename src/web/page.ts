import { randomBytes } from 'node:crypto'
import { notFound } from '../errors'
import { translatable } from '../messages/message'
import { assetText } from './assets'
import { firstRequests } from './preload'

/**
 * SEC-65. Everything comes from this service, no script is inline, no page may frame it, it frames documents only, and
 * no form submits natively. The UI's libraries write a few style elements: they carry the nonce of the page. The policy
 * `default` of Trusted Types is the UI's own (browser/trusted-types.ts).
 */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    // Only documents can be framed (documents/document-endpoint.ts); all other responses have frame-ancestors 'none'.
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')

/** The UI's page with its own nonce, and therefore without an ETag: a 304 would pair a new policy with an old page. */
export async function answerPage(request: Request, status = 200): Promise<Response> {
  const html = await assetText('index.html')
  if (html === null) throw notFound(translatable('No route matches this URL.'))
  const nonce = randomBytes(18).toString('base64')
  const hints = firstRequests(request).map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}">`)
  return new Response(html.replace('<script ', `${hints.join('')}<script nonce="${nonce}" `), {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': policyWith(nonce),
      'cache-control': 'no-cache',
      vary: 'Accept, Cookie',
    },
  })
}
