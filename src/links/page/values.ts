import { isPicture } from '../../attachments/file-type'
import type { FileView } from '../../attachments/model'
import { type Html, html } from '../../html'
import type { MessageLanguage } from '../../messages/message'
import { columnOf, type Names } from '../../records/display/names'
import { fileSizeText, scalarText } from '../../records/display/text'
import { valueText } from '../../records/display/value-text'
import type { PlannedOutput, Value } from '../../records/query/plan/types'
import { choiceColor, choiceColors } from '../../tables/choice-colors'
import { findColumnType, valueType } from '../../tables/column-types/descriptors'
import type { Column } from '../../tables/model'
import type { SharedValues } from '../shared/shared-files'
import { isFiles } from '../shared/shared-files'
import { safeAddress } from './safe-address'

/** How values are written: the language, the names of users and records, and the maximum text length in characters. */
export type ValueStyle = { language: MessageLanguage; names: Names; maxText: number }

/** A file with its URL below the link; null if it has none. */
export type LinkedFile = Omit<FileView, 'url'> & { url: string | null }

const nothing = html`<span class="none">–</span>`

/** One output of a record as HTML. Everything from the record is escaped. */
export function valueHtml(output: PlannedOutput, value: unknown, style: ValueStyle): Html {
  if (value === null || value === undefined || value === '') return nothing
  if (isFiles(output.value)) return filesHtml(value, style)
  if (output.value?.kind === 'embedded') return embeddedHtml(output.value, value, style)
  const column = columnOf(output)
  if (Array.isArray(value)) {
    if (value.length === 0) return nothing
    return html`<ul class="items">${value.map((item) => html`<li>${itemHtml(column, item, style)}</li>`)}</ul>`
  }
  return itemHtml(column, value, style)
}

/** Whether values are right-aligned, as numbers are. */
export function isNumeric(output: PlannedOutput): boolean {
  if (output.aggregate && ['count', 'sum', 'avg'].includes(output.aggregate.name)) return true
  const column = columnOf(output)
  return column !== null && !column.options.isMany && findColumnType(valueType(column))?.cell === 'number'
}

function itemHtml(column: Column | null, value: unknown, style: ValueStyle): Html {
  const text = scalarText(value)
  if (text === null) return value === null ? nothing : html`<pre>${shortened(JSON.stringify(value, null, 2), style)}</pre>`
  const name = column && style.names.get(column)?.get(text)
  if (name) return html`${shortened(name, style)}`
  return column ? typedHtml(column, value, text, style) : html`${shortened(valueText(null, value, style.language) ?? text, style)}`
}

function typedHtml(column: Column, value: unknown, text: string, style: ValueStyle): Html {
  const type = valueType(column)
  const short = shortened(valueText(column, value, style.language) ?? text, style)
  switch (findColumnType(type)?.cell) {
    case 'number':
      return html`<span class="number">${short}</span>`
    case 'date':
    case 'dateTime':
      return html`<time datetime="${text}">${short}</time>`
    case 'address':
      return addressHtml(type, text, style)
    case 'select':
    case 'multiSelect':
      return html`<span class="choice${colorClass(column, text)}">${short}</span>`
    case 'longText':
      return html`<div class="long">${short}</div>`
    case 'json':
      return html`<pre>${short}</pre>`
    default:
      return html`${short}`
  }
}

/** A page has a single style sheet, which contains only the colors of the palette. */
function colorClass(column: Column, choice: string): string {
  const color = choiceColor(column, choice)
  return choiceColors.some((each) => each === color) ? ` ${color}` : ''
}

/** Only URLs of pages and mail addresses become links. */
function addressHtml(type: string, text: string, style: ValueStyle): Html {
  const address =
    type === 'email' ? safeAddress(`mailto:${encodeURIComponent(text).replace('%40', '@')}`) : type === 'url' ? safeAddress(text) : null
  const shortText = shortened(text, style)
  if (type === 'phone') return html`<span class="number">${shortText}</span>`
  return address ? html`<a href="${address}" rel="noopener noreferrer nofollow">${shortText}</a>` : html`${shortText}`
}

function filesHtml(value: unknown, style: ValueStyle): Html {
  const files = (Array.isArray(value) ? value : []).filter((file): file is LinkedFile => typeof file?.name === 'string')
  if (files.length === 0) return nothing
  return html`<ul class="files">${files.map((file) => html`<li>${fileHtml(file, style)}</li>`)}</ul>`
}

/** An image is shown small, and links to itself. */
export function fileHtml(
  { url, name, type, size }: LinkedFile,
  { language }: Pick<ValueStyle, 'language'>,
  box: 'small' | 'large' = 'small',
): Html {
  const label = html`<span class="file-name">${name}</span> <span class="size">${fileSizeText(Number(scalarText(size)), language)}</span>`
  if (url === null) return label
  const picture = isPicture(type) ? html`<img src="${`${url}${url.includes('?') ? '&' : '?'}size=${box}`}" alt="">` : null
  return html`<a class="file" href="${url}">${picture}${label}</a>`
}

type EmbeddedValue = Extract<Value, { kind: 'embedded' }>

function embeddedHtml({ embedding }: EmbeddedValue, value: unknown, style: ValueStyle): Html {
  const records = (Array.isArray(value) ? value : [value]).filter(
    (record): record is SharedValues => typeof record === 'object' && record !== null,
  )
  if (records.length === 0) return nothing
  const nestedStyle = { ...style, names: new Map() }
  const fields = (record: SharedValues) =>
    embedding.outputs.map((output) => html`<dt>${output.name}</dt><dd>${valueHtml(output, record[output.name], nestedStyle)}</dd>`)
  return html`${records.map((record) => html`<dl class="inner">${fields(record)}</dl>`)}`
}

const shortened = (text: string, { maxText }: ValueStyle): string =>
  text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text
