import { isTimestamp } from '../../auth/timestamp'
import { type Html, html } from '../../html'
import type { MessageLanguage } from '../../messages/message'
import { inputPrefix } from '../body'
import type { Choice } from '../choices'
import { hasCommaMark, hasOtherMarks, withMarks } from '../decimal-marks'
import type { ResolvedField } from '../fields'
import { formTexts } from './form-text'

/** `value` is the initial value of the field; `problem` is the error in the submitted one. */
export type ShownField = { field: ResolvedField; index: number; value: unknown; choices: readonly Choice[]; problem: string | null }

const inputTypes: Partial<Record<string, string>> = {
  ...{ email: 'email', url: 'url', phone: 'tel', date: 'date', time: 'time', dateTime: 'datetime-local' },
}

const inputModes: Partial<Record<string, string>> = {
  ...{ integer: 'numeric', bigint: 'numeric', rating: 'numeric' },
  ...{ decimal: 'decimal', currency: 'decimal', percent: 'decimal', float: 'decimal' },
}

/** A field with its label, help and problem. */
export function fieldMarkup(input: ShownField, language: MessageLanguage): Html {
  const { field, index, value, problem } = input
  const { column, conditions, isRequired, label } = field
  const texts = formTexts[language]
  const id = `field-${index}`
  const name = inputPrefix + column.name
  const help = [field.help, texts.units[column.type]].filter((part) => part).join(' ')
  const about = [...(help ? [`${id}-help`] : []), ...(problem === null ? [] : [`${id}-bad`])].join(' ')
  const helpText = help ? html`<p class="help" id="${id}-help">${help}</p>` : null
  const mark = hasOtherMarks(column, String(value ?? '')) ? `. ${texts.decimalMark}` : null
  const problemText = problem === null ? null : html`<p class="bad" id="${id}-bad">${problem}${mark}</p>`
  const star = isRequired ? html` <span class="star">(${texts.required})</span>` : null
  const data = [
    html` data-name="${column.name}"`,
    hasCommaMark(column, language) ? html` data-comma` : null,
    column.type === 'percent' ? html` data-percent` : null,
    column.type === 'duration' ? html` data-duration` : null,
    conditions.length > 0 ? html` data-conditions="${JSON.stringify(conditions)}"` : null,
  ]
  const attributes = [
    html`id="${id}" name="${name}"`,
    about ? html` aria-describedby="${about}"` : null,
    problem === null ? null : html` aria-invalid="true"`,
    isRequired ? html` required` : null,
  ]
  if (column.type === 'boolean') {
    const checked = String(input.value) === 'true' ? html` checked` : null
    return html`<div class="field" data-one${data}><label class="tick"><input type="checkbox" ${attributes}${checked}><span>${label}${star}</span></label>${helpText}${problemText}</div>
`
  }
  if (column.type === 'multiSelect' || column.type === 'manyLinks') {
    const boxes = input.choices.map(({ value, label: word }) => {
      const checked = [input.value].flat().includes(value) ? html` checked` : null
      return html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${checked}><span>${word}</span></label>`
    })
    return html`<fieldset class="field"${data}><legend>${label}${star}</legend>${boxes}${helpText}${problemText}</fieldset>
`
  }
  return html`<div class="field"${data}><label for="${id}">${label}${star}</label>${control(input, attributes, language)}${helpText}${problemText}</div>
`
}

function control({ field, value, choices }: ShownField, attributes: (Html | null)[], language: MessageLanguage): Html {
  const { type } = field.column
  const text = value === undefined || value === null ? '' : withMarks(field.column, language, String(value))
  if (type === 'select' || type === 'link') {
    const options = choices.map((choice) => {
      const selected = choice.value === text ? html` selected` : null
      return html`<option value="${choice.value}"${selected}>${choice.label}</option>`
    })
    return html`<select ${attributes}><option value="">${formTexts[language].choose}</option>${options}</select>`
  }
  if (type === 'longText') return html`<textarea ${attributes} rows="5">\n${text}</textarea>`
  if (type === 'attachment') {
    const { most, accept } = field.files!
    const accepted = accept.length > 0 ? html` accept="${accept.join(',')}"` : null
    return html`<input type="file" ${attributes}${most > 1 ? html` multiple` : null}${accepted}>`
  }
  const mode = inputModes[type] ? html` inputmode="${inputModes[type]}"` : null
  const inputValue = type === 'dateTime' ? inUtc(text).replace(/(?::\d\d(?:\.\d+)?)?Z$/, '') : text
  return html`<input type="${inputTypes[type] ?? 'text'}" ${attributes}${mode} value="${inputValue}">`
}

/** A timestamp with another offset, in UTC. */
const inUtc = (text: string): string => (/\d[+-]\d\d:\d\d$/.test(text) && isTimestamp(text) ? new Date(text).toISOString() : text)
