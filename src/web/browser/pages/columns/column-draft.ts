import { parseExact, textOf } from '../../values/exact-json'
import { isNumber } from '../record/data/column'
import { type Draft, draftOf, jsonOf } from '../record/fields/field-draft'
import { type Column, canBeUnique, canHaveDefault, canRequire, lineOptionsOf } from './column-kinds'

/** `from` is the name that a choice has as long as nothing is saved; a new one has none. */
export type ChoiceDraft = { value: string; color: string; from?: string }

/** A column as its form holds it: options as texts, each under its name. */
export type ColumnDraft = {
  name: string
  type: string
  isRequired: boolean
  isUnique: boolean
  default: Draft
  options: Readonly<Record<string, string>>
  choices: readonly ChoiceDraft[]
}

type ChoiceOption = string | { value: string; color?: string }

export const emptyDraft: ColumnDraft = { name: '', type: 'text', isRequired: false, isUnique: false, default: '', options: {}, choices: [] }

export function draftOfColumn({ name, type, required, unique, default: value, options }: Column): ColumnDraft {
  const { choices = [], accept, ...rest } = options as { choices?: ChoiceOption[]; accept?: string[] } & Record<string, unknown>
  const texts = Object.entries(rest).map(([option, its]) => [option, isBound(option) ? String(draftOf({ type }, its)) : textOf(its)])
  return {
    name,
    type,
    isRequired: required,
    isUnique: unique,
    default: draftOf({ type }, value),
    options: { ...Object.fromEntries(texts), ...(accept ? { accept: accept.join(', ') } : {}) },
    choices: choices.map((choice) => {
      const its = typeof choice === 'string' ? { value: choice } : choice
      return { color: '', ...its, from: its.value }
    }),
  }
}

/** With other choices. The default follows the one that was given another name. */
export function withChoices(draft: ColumnDraft, choices: readonly ChoiceDraft[]): ColumnDraft {
  const changed = choices.length === draft.choices.length ? draft.choices.filter((choice, at) => choice.value !== choices[at]!.value) : []
  if (changed.length !== 1) return { ...draft, choices }
  const [{ value }] = changed as [ChoiceDraft]
  const name = choices[draft.choices.indexOf(changed[0]!)]!.value
  const follow = (its: string) => (its === value && value !== '' ? name : its)
  const { default: before } = draft
  return { ...draft, choices, default: Array.isArray(before) ? before.map(follow) : typeof before === 'string' ? follow(before) : before }
}

/** A bound is a value of the column's own type. */
export const isBound = (option: string): boolean => option === 'min' || option === 'max'

type ColumnBody = { name: string; type: string; required?: boolean; unique?: boolean; default?: unknown; options: Record<string, unknown> }

/** What to send for a new column. Numbers keep their digits. */
export function bodyOfColumn(draft: ColumnDraft, decimalMark: string): ColumnBody {
  const { name, type } = draft
  return {
    name,
    type,
    ...(canRequire(type) ? { required: draft.isRequired } : {}),
    ...(canBeUnique(type) ? { unique: draft.isUnique } : {}),
    ...(canHaveDefault(type) ? { default: valueOfDraft(type, draft.default, decimalMark) } : {}),
    options: optionsOf(draft, decimalMark),
  }
}

const valueOfDraft = (type: string, draft: Draft, decimalMark: string): unknown => {
  // Nothing chosen is no default, and not a default of nothing.
  if (Array.isArray(draft) && draft.length === 0) return null
  const json = jsonOf({ type }, draft, decimalMark) ?? JSON.stringify(draft)
  // Definitions are kept with JavaScript's numbers: one with more digits has to go as text.
  return isNumber(type) && JSON.stringify(Number(json)) !== json && !json.startsWith('"') && json !== 'null' ? json : parseExact(json)
}

function optionsOf({ type, options, choices }: ColumnDraft, decimalMark: string): Record<string, unknown> {
  if (type === 'select' || type === 'multiSelect') {
    const named = choices.filter(({ value }) => value.trim() !== '')
    return { choices: named.map(({ value, color }) => (color ? { value, color } : value)) }
  }
  if (type === 'link') return { table: options.table ?? '', ...(options.onDelete ? { onDelete: options.onDelete } : {}) }
  if (type === 'manyLinks') return { table: options.table ?? '' }
  if (type === 'formula') return { expression: options.expression ?? '' }
  const read = (name: string, text: string): unknown => {
    if (name === 'pattern') return text
    if (name === 'accept') return text.split(/[\s,]+/).filter(Boolean)
    return valueOfDraft(isBound(name) ? type : 'integer', text, decimalMark)
  }
  return Object.fromEntries(
    lineOptionsOf(type)
      .filter((name) => options[name])
      .map((name) => [name, read(name, options[name]!)]),
  )
}

type ColumnPatch = Partial<ColumnBody> & { renameChoices?: Record<string, string> }

/** What was changed of a column, as far as it was. */
export function patchOf(before: ColumnDraft, now: ColumnDraft, decimalMark: string): ColumnPatch {
  const [was, is] = [bodyOfColumn(before, decimalMark), bodyOfColumn(now, decimalMark)]
  const isSame = (name: string) => JSON.stringify(was[name as keyof ColumnBody]) === JSON.stringify(is[name as keyof ColumnBody])
  // Options belong to their type: those of another one are sent with it, but choices, which the service can find.
  const isFound = is.type !== was.type && now.choices.length === 0 && 'choices' in is.options
  const changed = Object.entries(is).filter(([name]) => !isSame(name) && !(name === 'options' && isFound))
  const renames = is.type === was.type && 'choices' in is.options ? renamesOf(now.choices) : []
  // Options are sent with it: with two names swapped, they may be the same as before.
  return Object.fromEntries([
    ...changed,
    ...(renames.length
      ? [
          ['options', is.options],
          ['renameChoices', Object.fromEntries(renames)],
        ]
      : []),
  ])
}

const renamesOf = (choices: readonly ChoiceDraft[]): [string, string][] =>
  choices.flatMap(({ from, value }): [string, string][] =>
    from !== undefined && value.trim() !== '' && from !== value ? [[from, value]] : [],
  )
