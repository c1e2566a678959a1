/**
 * What every answer of a link has: it is kept nowhere, found by no search, and tells no other site where it came from.
 */
export const linkHeaders = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  vary: 'Accept, Accept-Language, Cookie, X-Link-Password',
}
