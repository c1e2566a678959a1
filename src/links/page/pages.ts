import type { Failure } from '../../errors'
import { type Html, type HtmlPart, html } from '../../html'
import { type MessageLanguage, translatable } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import { columnOf, type Names } from '../../records/display/names'
import { momentText, scalarText } from '../../records/display/text'
import { displayColumnOf } from '../../tables/display-column'
import type { SharedValues } from '../shared/shared-files'
import type { Shared } from '../shared/shared-record'
import { linkPage } from './page'
import { fileHtml, isNumeric, type LinkedFile, valueHtml } from './values'

/** The parts that every page of a link shows. */
type PageFrame = { language: MessageLanguage; expiresAt: Date | null }

const maxCellText = 1000
const maxFieldText = 100_000

const words = (language: MessageLanguage) => (message: Parameters<typeof inLanguage>[0]) => inLanguage(message, language) as string

/** A record, one value per line. */
export function recordPage(frame: PageFrame, { table, outputs }: Shared, record: SharedValues, names: Names): Response {
  const display = displayColumnOf(table)
  const naming = outputs.find((output) => columnOf(output) === display)
  const title = (naming && scalarText(record[naming.name])) || table.name
  const style = { language: frame.language, names, maxText: maxFieldText }
  const fields = outputs.map(
    (output) => html`<div><dt>${output.name}</dt><dd dir="auto">${valueHtml(output, record[output.name], style)}</dd></div>`,
  )
  return framed(frame, title, title === table.name ? null : table.name, html`<dl class="record paper">${fields}</dl>`)
}

/** A page of a list. */
export function listPage(
  frame: PageFrame,
  { table, outputs }: Shared,
  records: SharedValues[],
  names: Names,
  next: string | null,
): Response {
  const say = words(frame.language)
  const style = { language: frame.language, names, maxText: maxCellText }
  const ends = outputs.map((output) => (isNumeric(output) ? ' class="end"' : ''))
  const head = outputs.map((output, index) => html`<th scope="col"${attribute(ends[index]!)}>${output.name}</th>`)
  const row = (record: SharedValues) =>
    outputs.map(
      (output, index) =>
        html`<td data-label="${output.name}"${attribute(ends[index]!)} dir="auto">${valueHtml(output, record[output.name], style)}</td>`,
    )
  const body = records.length
    ? html`<div class="paper scroll"><table><thead><tr>${head}</tr></thead><tbody>${records.map((record) => html`<tr>${row(record)}</tr>`)}</tbody></table></div>`
    : html`<p>${say(translatable('There are no records here.'))}</p>`
  const more = next === null ? null : html`<nav><a href="${next}" rel="next">${say(translatable('Next page'))}</a></nav>`
  return framed(frame, table.name, null, html`${body}${more}`, true)
}

const attribute = (text: string): HtmlPart => (text === '' ? null : html` class="end"`)

/** One file, displayed if browsers can display its type. @param download its URL for saving it */
export function filePage(frame: PageFrame, table: string, file: LinkedFile, download: string): Response {
  const button = html`<p><a class="button" href="${download}" download>${words(frame.language)(translatable('Download'))}</a></p>`
  return framed(frame, file.name, table, html`<div class="paper preview">${fileHtml(file, frame, 'large')}</div>${button}`)
}

function framed({ language, expiresAt }: PageFrame, title: string, about: string | null, content: Html, isWide = false): Response {
  const until = expiresAt && words(language)(translatable('Open until {time}', { time: momentText(expiresAt.toISOString(), language) }))
  const lines = [about, until].filter((line) => line !== null)
  const below = lines.length ? html`<p class="about">${lines.join(' · ')}</p>` : null
  const body = html`<h1 dir="auto">${title}</h1>${below}${content}`
  return linkPage({ language, title, body, isWide })
}

/**
 * The page of every link that does not open. It always asks for a password, whether the link has one or even exists.
 * @param wasSent whether a password has just been rejected
 */
export function closedPage(language: MessageLanguage, wasSent: boolean): Response {
  const say = words(language)
  const title = say(translatable('Enter the password to open this link'))
  const refused = wasSent ? html`<p role="alert">${say(translatable('It did not open with this password.'))}</p>` : null
  const body = html`<h1>${title}</h1>
${refused}<p>${say(translatable('If you were given no password, or if the link does not open with it, ask the person who sent it for a new link.'))}</p>
<form method="post"><label for="password">${say(translatable('Password'))}</label>
<input id="password" name="password" type="password" required maxlength="256" autocomplete="off">
<button>${say(translatable('Open'))}</button></form>`
  return linkPage({ language, title, body }, 404)
}

/** A temporary problem; reveals nothing about the link. */
export function failurePage(language: MessageLanguage, failure: Failure, status: number): Response {
  const say = words(language)
  const title = say(translatable('This does not work at the moment'))
  return linkPage({ language, title, body: html`<h1>${title}</h1><p>${say(failure.text)}</p>` }, status, failure.extras.headers)
}
