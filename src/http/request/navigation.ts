import { translatable } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import { languageOf } from './language'
import { pathOf } from './url'

/** Whether a browser opens the URL as a page for a person. */
export const isNavigation = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.get('accept') ?? '')

/** URLs for programs: a person who opens one in a browser wants to see the program's response. */
const ofPrograms = /^\/(api|auth|rest|assets|healthz|readyz|version)(\/|$)/

export const isPageAddress = (request: Request): boolean => isNavigation(request) && !ofPrograms.test(pathOf(request.url))

/** For a person who is too early: a page that reloads itself. It loads nothing else. */
export function startingPage(request: Request): Response {
  const language = languageOf(request)
  const text = inLanguage({ message: translatable('The service is starting.') }, language).message
  const html = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Rowhouse</title><p>${text}</p></html>`
  const headers = { 'content-type': 'text/html;charset=utf-8', 'cache-control': 'no-store', 'retry-after': '1', vary: 'Accept' }
  return new Response(html, { status: 503, headers })
}
