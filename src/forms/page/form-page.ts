import { randomBytes } from 'node:crypto'
import type { Failure } from '../../errors'
import { type Html, html, pageHead } from '../../html'
import { statusOf } from '../../http/response/errors'
import type { MessageLanguage } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import { pointerTo } from '../../records/store/pointer'
import { languageInput, proofInput, trapInput } from '../body'
import type { Choice } from '../choices'
import type { OpenForm } from '../opening'
import type { FormSettings } from '../store'
import { dateProblemText } from './date-problem'
import { formScript } from './form-script'
import { formStyle } from './form-style'
import { formTexts } from './form-text'
import { fieldMarkup } from './inputs'

type PageOptions = { status?: number; headers?: Record<string, string>; settings?: FormSettings; hasForm?: boolean }

/** Without settings, a page that no site may frame and that links nowhere. */
function formPage(language: MessageLanguage, title: string, body: Html, options: PageOptions): Response {
  const { settings, hasForm, status = 200, headers } = options
  const nonce = randomBytes(18).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(hasForm ? [`script-src 'nonce-${nonce}'`] : []),
    // Browsers also apply this to the redirect after a form.
    `form-action 'self'${settings?.redirect ? ` ${new URL(settings.redirect).origin}` : ''}`,
    "base-uri 'none'",
    `frame-ancestors ${settings?.sites?.length ? settings.sites.join(' ') : "'none'"}`,
  ]
  const script = hasForm ? html`<script nonce="${nonce}">${formScript}</script>` : null
  const page = html`<!doctype html>
<html lang="${language}">
<head>
${pageHead(title)}
<style nonce="${nonce}">${formStyle}</style>
</head>
<body>
<main>${body}</main>
${script}
</body>
</html>
`
  return new Response(page.text, {
    status,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-language': language,
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      // With no-referrer, a browser would send `Origin: null` with the form, which counts as another site.
      'referrer-policy': 'same-origin',
      vary: 'Accept-Language',
      ...headers,
    },
  })
}

/** The values of the fields, the challenge to solve, and the problems of the last submission. */
export type FormContent = {
  form: OpenForm
  challenge: string
  choices: ReadonlyMap<string, readonly Choice[]>
  values: Record<string, unknown>
  failure?: Failure
  /** The locale in which the browser shows dates. */
  locale: string
}

export function filledFormPage(language: MessageLanguage, content: FormContent): Response {
  const { form, challenge, choices, values, failure, locale } = content
  const { settings, name } = form.row
  const texts = formTexts[language]
  const problems = inLanguage(failure?.extras.errors ?? [], language)
  const hasFiles = form.fields.some(({ files }) => files)
  const fields = form.fields.map((field, index) => {
    const { name: column, type } = field.column
    const value = Object.hasOwn(values, column) ? values[column] : field.default
    const message = problems.find(({ path }) => path === pointerTo('', column))?.message ?? null
    const problem = message !== null && type === 'date' ? dateProblemText(message, value, language, locale) : message
    return fieldMarkup({ field, index, choices: choices.get(column) ?? [], value, problem }, language)
  })
  const isMarked = form.fields.some(({ column }) => problems.some(({ path }) => path === pointerTo('', column.name)))
  const isLate = problems.some(({ path }) => path === '/proof')
  const general = problems.flatMap(({ path, message }) => (path === '' ? [message] : []))
  const first = isLate ? [texts.again] : isMarked || general.length === 0 ? [texts.wrong] : []
  const notes = failure ? [...first, ...general, ...(hasFiles ? [texts.files] : [])] : []
  const body = html`<h1>${settings.title}</h1>
${settings.description ? html`<p class="text">${settings.description}</p>` : null}
<noscript><p class="bad all">${texts.noScript}</p></noscript>
${notes.length > 0 ? html`<p class="bad all" role="alert">${notes.join(' ')}</p>` : null}
<form method="post" action="/f/${name}" data-challenge="${challenge}"${hasFiles ? html` enctype="multipart/form-data"` : null}>
<input type="hidden" name="${proofInput}" value=""><input type="hidden" name="${languageInput}" value="${language}">
<div class="trap" aria-hidden="true"><label>${texts.trap} <input name="${trapInput}" value="" tabindex="-1" autocomplete="off"></label></div>
${fields}<button>${texts.send}</button>
</form>`
  return formPage(language, settings.title, body, { settings, hasForm: true, status: failure ? statusOf[failure.kind] : 200 })
}

export function thanksPage(language: MessageLanguage, settings: FormSettings): Response {
  const texts = formTexts[language]
  const body = html`<h1>${texts.thanksTitle}</h1><p class="text" role="status">${settings.thanks ?? texts.thanks}</p>`
  return formPage(language, texts.thanksTitle, body, { settings })
}

/** A form that is not public, whatever the reason. */
export function missingFormPage(language: MessageLanguage): Response {
  const { goneTitle, gone } = formTexts[language]
  return formPage(language, goneTitle, html`<h1>${goneTitle}</h1><p>${gone}</p>`, { status: 404 })
}

export function failedFormPage(language: MessageLanguage, failure: Failure, settings?: FormSettings): Response {
  const { failed } = formTexts[language]
  const text = inLanguage(failure.text, language)
  const wait = failure.extras.headers?.['retry-after']
  const body = html`<h1>${failed}</h1><p>${text}</p>`
  const headers: Record<string, string> = wait === undefined ? {} : { 'retry-after': wait }
  return formPage(language, failed, body, { status: statusOf[failure.kind], headers, settings })
}
