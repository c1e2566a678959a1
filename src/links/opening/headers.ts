/**
 * The headers of every response to a link: caches do not store it, search engines do not index it, and browsers do not
 * send its URL to other sites.
 */
export const linkHeaders = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  vary: 'Accept, Accept-Language, Cookie, X-Link-Password',
}
