import { isPicture } from '../../attachments/file-type'
import type { FileView } from '../../attachments/model'
import { type Html, html } from '../../html'
import { type MessageLanguage, translatable } from '../../messages/message'
import { inLanguage } from '../../messages/translation'
import type { PlannedOutput, Value } from '../../records/query/plan/types'
import { decimalsOf, findColumnType } from '../../tables/column-types/descriptors'
import type { Column } from '../../tables/model'
import type { SharedValues } from '../shared/shared-files'
import { isFiles } from '../shared/shared-files'
import { columnOf, type Names } from './names'
import { safeAddress } from './safe-address'
import { clockText, dayText, fileSizeText, hundredfold, momentText, numberText, plainText } from './text'

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
    return html`<ul class="items">${value.map((item) => html`<li>${itemHtml(output, column, item, style)}</li>`)}</ul>`
  }
  return itemHtml(output, column, value, style)
}

/** Whether values are right-aligned, as numbers are. */
export function isNumeric(output: PlannedOutput): boolean {
  if (output.aggregate && ['count', 'sum', 'avg'].includes(output.aggregate.name)) return true
  const column = columnOf(output)
  return column !== null && !column.options.isMany && findColumnType(typeName(column))?.cell === 'number'
}

const typeName = ({ type, options }: Column): string => (typeof options.valueType === 'string' ? options.valueType : type)

function itemHtml(output: PlannedOutput, column: Column | null, value: unknown, style: ValueStyle): Html {
  const text = plainText(value)
  if (text === null) return value === null ? nothing : html`<pre>${shortened(JSON.stringify(value, null, 2), style)}</pre>`
  if (typeof value === 'boolean') return html`${inLanguage(value ? translatable('Yes') : translatable('No'), style.language)}`
  const name = style.names.get(output.name)?.get(text)
  if (name !== undefined) return html`${shortened(name, style)}`
  return column ? typedHtml(column, text, style) : html`${shortened(text, style)}`
}

function typedHtml(column: Column, text: string, style: ValueStyle): Html {
  const type = typeName(column)
  const { language } = style
  switch (findColumnType(type)?.cell) {
    case 'number':
      return html`<span class="number">${columnNumber(column, type, text, language)}</span>`
    case 'date':
      return html`<time datetime="${text}">${dayText(text, language)}</time>`
    case 'dateTime':
      return html`<time datetime="${text}">${momentText(text, language)}</time>`
    case 'address':
      return addressHtml(type, text, style)
    case 'select':
    case 'multiSelect':
      return html`<span class="choice">${shortened(text, style)}</span>`
    case 'longText':
      return html`<div class="long">${shortened(text, style)}</div>`
    case 'json':
      return html`<pre>${shortened(text, style)}</pre>`
    default:
      return html`${shortened(text, style)}`
  }
}

function columnNumber({ options }: Column, type: string, text: string, language: MessageLanguage): string {
  const decimals = decimalsOf(options)
  if (type === 'percent') return `${numberText(hundredfold(text), language, false, decimals)} %`
  if (type === 'duration') return clockText(text)
  const hasThousands = typeof options.thousands === 'boolean' ? options.thousands : ['decimal', 'currency', 'float'].includes(type)
  const number = numberText(text, language, hasThousands, decimals)
  return typeof options.currency === 'string' ? `${number} ${options.currency}` : number
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
  const label = html`<span class="file-name">${name}</span> <span class="size">${fileSizeText(Number(plainText(size)), language)}</span>`
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
