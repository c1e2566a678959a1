import { createHash } from 'node:crypto'
import { type Html, html, pageHead } from '../../html'
import type { MessageLanguage } from '../../messages/message'
import { linkHeaders } from '../opening/headers'
import { style } from './style'

/** A page runs no scripts, cannot be framed, and loads only images of this service. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style.text).digest('base64')}'`,
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export type PageContent = { language: MessageLanguage; title: string; body: Html; isWide?: boolean }

/** A page that is complete in itself. */
export function linkPage(
  { language, title, body, isWide = false }: PageContent,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
${pageHead(title)}
<style>${style}</style>
</head>
<body>
<main${isWide ? html` class="wide"` : null}>${body}</main>
</body>
</html>
`
  return new Response(page.text, {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-language': language,
      'content-security-policy': policy,
      ...linkHeaders,
      ...headers,
    },
  })
}
