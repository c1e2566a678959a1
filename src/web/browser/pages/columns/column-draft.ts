import type { ProposedDisplay } from '../../../../tables/formulas/language/amounts'
import { toColumnValue } from '../../fields/column-value'
import { type FieldDraft, toDraft } from '../../fields/field-draft'
import type { ColumnInfo } from '../../records/values/column'
import { canBeUnique, canHaveDefault, canRequire, displayOptionsOf, lineOptionsOf } from '../../records/values/column-kinds'
import { toText } from '../../values/exact-json'

/** `from` is the saved name of the choice; undefined for a new choice. */
export type ChoiceDraft = { value: string; color: string; from?: string }

/** A column as edited in its form: all options are strings. */
export type ColumnDraft = {
  name: string
  type: string
  isRequired: boolean
  isUnique: boolean
  default: FieldDraft
  options: Readonly<Record<string, string>>
  choices: readonly ChoiceDraft[]
  description: string
  /** For a new link: whether the linked table gets a column for the other side; undefined means true. */
  hasReverse?: boolean
}

export type DraftProps = { draft: ColumnDraft; set: (draft: ColumnDraft) => void }

type ChoiceOption = string | { value: string; color?: string }

export const emptyDraft: ColumnDraft = {
  name: '',
  type: 'text',
  isRequired: false,
  isUnique: false,
  default: '',
  options: {},
  choices: [],
  description: '',
}

export function toColumnDraft(
  { name, type, required, unique, default: value, options, description }: ColumnInfo,
  decimalMark: string,
): ColumnDraft {
  const { choices = [], accept, ...rest } = options as { choices?: ChoiceOption[]; accept?: string[] } & Record<string, unknown>
  const texts = Object.entries(rest).map(([option, its]) => [option, toOptionText(type, option, its, decimalMark)])
  return {
    name,
    type,
    isRequired: required,
    isUnique: unique,
    default: toDraft({ type }, value, decimalMark),
    options: {
      ...(type === 'formula' ? { currency: '', decimals: '' } : {}),
      ...Object.fromEntries(texts),
      ...(accept ? { accept: accept.join(', ') } : {}),
    },
    choices: choices.map((choice) => {
      const its = typeof choice === 'string' ? { value: choice } : choice
      return { color: '', ...its, from: its.value }
    }),
    description: description ?? '',
  }
}

/** Adds the display that is proposed for a new formula. Options that the user has set, even to '', take precedence. */
export const withDisplay = (draft: ColumnDraft, { currency, decimals }: ProposedDisplay = {}): ColumnDraft =>
  draft.type !== 'formula' || currency === undefined
    ? draft
    : { ...draft, options: { currency, ...(decimals === undefined ? {} : { decimals: String(decimals) }), ...draft.options } }

/** The text that a form edits. */
function toOptionText(type: string, option: string, value: unknown, decimalMark: string): string {
  if (isBound(option)) return String(toDraft({ type }, value, decimalMark))
  return option === 'filter' ? JSON.stringify(value) : toText(value)
}

/** Replaces the choices. The default follows a renamed choice. */
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

export type ColumnBody = {
  name: string
  type: string
  required?: boolean
  unique?: boolean
  default?: unknown
  options: Record<string, unknown>
  description: string
}

/** The request body for a new column. Numbers keep their digits. */
export function toColumnBody(draft: ColumnDraft, decimalMark: string): ColumnBody {
  const { name, type } = draft
  return {
    name,
    type,
    ...(canRequire(type) ? { required: draft.isRequired } : {}),
    ...(canBeUnique(type) ? { unique: draft.isUnique } : {}),
    ...(canHaveDefault(type) ? { default: toColumnValue(type, draft.default, decimalMark) } : {}),
    options: toOptions(draft, decimalMark),
    description: draft.description.trim(),
  }
}

/** The options that determine how the values of these types are computed. */
const linkedOptions: Readonly<Record<string, readonly string[]>> = {
  reverseLinks: ['table', 'column'],
  lookup: ['link', 'column'],
  rollup: ['link', 'column', 'function', 'filter'],
  count: ['link', 'filter'],
}

const toLinkedOptions = (names: readonly string[], options: ColumnDraft['options']): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => options[name]).map((name) => [name, name === 'filter' ? JSON.parse(options[name]!) : options[name]]),
  )

/** Whether a unique column treats addresses that differ only in case as equal. */
export const isCaseIgnored = ({ options }: ColumnDraft): boolean => options.ignoreCase !== 'false'

/** The option that the form edits: `formula` is written as in a spreadsheet, `expression` in SQL. */
export const formulaOption = ({ options }: ColumnDraft): 'formula' | 'expression' =>
  options.formula === undefined && options.expression !== undefined ? 'expression' : 'formula'

const formulaOptions = (draft: ColumnDraft): Record<string, string> => {
  const option = formulaOption(draft)
  return { [option]: draft.options[option] ?? '' }
}

function toOptions(draft: ColumnDraft, decimalMark: string): Record<string, unknown> {
  const { type, options, choices } = draft
  if (type === 'email') return draft.isUnique ? { ignoreCase: isCaseIgnored(draft) } : {}
  if (type === 'select' || type === 'multiSelect') {
    const named = choices.filter(({ value }) => value.trim() !== '')
    return { choices: named.map(({ value, color }) => (color ? { value, color } : value)) }
  }
  if (type === 'link') return { table: options.table ?? '', ...(options.onDelete ? { onDelete: options.onDelete } : {}) }
  if (type === 'manyLinks') return { table: options.table ?? '' }
  const read = (name: string, text: string): unknown => {
    if (name === 'pattern') return text
    if (name === 'currency') return text.trim().toUpperCase()
    if (name === 'thousands') return text === 'true'
    if (name === 'decimals') return Number(text)
    if (name === 'dateFormat' || name === 'timeFormat') return text
    if (name === 'accept') return text.split(/[\s,]+/).filter(Boolean)
    return toColumnValue(isBound(name) ? type : 'integer', text, decimalMark)
  }
  const readOptions = (names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => options[name]).map((name) => [name, read(name, options[name]!)]))
  const display = readOptions(displayOptionsOf(type))
  if (type in linkedOptions) return { ...toLinkedOptions(linkedOptions[type]!, options), ...display }
  if (type === 'formula') return { ...formulaOptions(draft), ...display }
  return { ...readOptions(lineOptionsOf(type)), ...display }
}

type ColumnPatch = Partial<ColumnBody> & { renameChoices?: Record<string, string> }

/** The request body with the changes of an edited column. */
export function toColumnPatch(before: ColumnDraft, now: ColumnDraft, decimalMark: string): ColumnPatch {
  const [was, is] = [toColumnBody(before, decimalMark), toColumnBody(now, decimalMark)]
  const isSame = (name: string) => JSON.stringify(was[name as keyof ColumnBody]) === JSON.stringify(is[name as keyof ColumnBody])
  // Options belong to a type, so a new type is sent with its options, except missing choices, which the service can
  // derive from the values.
  const isFound = is.type !== was.type && now.choices.length === 0 && 'choices' in is.options
  const changed = Object.entries(is).filter(([name]) => !isSame(name) && !(name === 'options' && isFound))
  const renames = is.type === was.type && 'choices' in is.options ? renamesOf(now.choices) : []
  // When two names are swapped, the options look unchanged, so they are sent explicitly.
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
