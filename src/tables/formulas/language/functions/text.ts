import { translatable } from '../../../../messages/message'
import { literal } from '../../../sql-text'
import { requireSingleValue, summarized } from '../lists'
import { problemAtOffset } from '../tokens'
import { type FormulaValue, numberConstant, optional, toTextValue, value } from '../value'
import { constantNumber, constantText, type FormulaFunction, type FunctionCall, wholeNumber } from './function'

/** No text that PostgreSQL can hold has more characters. */
const maxLength = 1_000_000_000
/** The maximum length of a result of `lpad`. */
const maxRepeated = 1000

const one = (at: number): FormulaValue => numberConstant(at, '1')

const changed =
  (make: (text: string) => string) =>
  ([text]: FormulaValue[], { at, name }: FunctionCall): FormulaValue =>
    value('text', at, make(toTextValue(text!, name).filled))

const cut =
  (side: 'left' | 'right') =>
  ([text, count]: FormulaValue[], { at, name }: FunctionCall): FormulaValue =>
    value('text', at, `${side}(${toTextValue(text!, name).filled}, ${wholeNumber(count ?? one(at), name, 0, maxLength)})`)

function middle([text, start, count]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const [from, length] = [wholeNumber(start!, name, 1, maxLength), wholeNumber(count!, name, 0, maxLength)]
  return value('text', at, `substr(${toTextValue(text!, name).filled}, ${from}, ${length})`)
}

function replaced([text, start, count, replacement]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const [from, length] = [wholeNumber(start!, name, 1, maxLength), wholeNumber(count!, name, 0, maxLength)]
  const [whole, part] = [toTextValue(text!, name).filled, toTextValue(replacement!, name).filled]
  return value('text', at, `overlay(${whole} placing ${part} from ${from} for ${length})`)
}

/** PostgreSQL needs a constant replacement to know how long the result may become. */
function substituted([text, old, replacement, occurrence]: FormulaValue[], call: FunctionCall): FormulaValue {
  const { at, name } = call
  const [whole, fresh] = [toTextValue(text!, name).filled, constantText(replacement!, call)]
  if (!occurrence) return value('text', at, `replace(${whole}, ${toTextValue(old!, name).filled}, ${literal(fresh)})`)
  const pattern = constantText(old!, call).replace(/[^\p{L}\p{N}\s]/gu, '\\$&')
  if (pattern === '') throw problemAtOffset(translatable('needs a text in quotation marks here for "{name}"', { name }), old!)
  const nth = constantNumber(occurrence, call, 1000)
  return value('text', at, `regexp_replace(${whole}, ${literal(pattern)}, ${literal(fresh.replaceAll('\\', '\\\\'))}, 1, ${nth})`)
}

/** Empty if the text is not found, as in Airtable. A calculation treats that as 0. */
const found =
  (fold: (text: FormulaValue) => string) =>
  ([needle, text, start]: FormulaValue[], { at, name }: FunctionCall): FormulaValue => {
    const [sought, whole] = [fold(toTextValue(needle!, name)), fold(toTextValue(text!, name))]
    if (!start) {
      const position = `cast(strpos(${whole}, ${sought}) as numeric)`
      return value('number', at, `nullif(${position}, 0)`, { filled: position, isExact: true })
    }
    const from = wholeNumber(start, name, 1, maxLength)
    const position = `nullif(strpos(substr(${whole}, ${from}), ${sought}), 0)`
    return optional('number', at, `cast((${position} + ${from} - 1) as numeric)`, { isExact: true })
  }

/** PostgreSQL refuses to compute `lower` of a constant for a stored column. */
const withoutCase = ({ constant, filled }: FormulaValue): string =>
  constant === undefined ? `lower(${filled})` : literal(constant.toLowerCase()).trim()

/** `repeat` has no limit, so a padding is cut to the length. */
function repeated([text, count]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const whole = toTextValue(text!, name).filled
  const tooMany = maxRepeated + 1
  const length = `least(length(${whole}), ${tooMany}) * ${wholeNumber(count!, name, 0, tooMany)}`
  return value('text', at, `left(lpad('', ${maxRepeated}, ${whole}), nullif(least(${length}, ${tooMany}), ${tooMany}))`)
}

const decimal = '^[-+]?([0-9]{1,200}([.][0-9]{0,200})?|[.][0-9]{1,200})([eE][-+]?[0-9]{1,2})?$'

/** Empty for a text that is not a number. */
function parsed([text]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  if (text!.type === 'number') return text!
  const digits = `regexp_substr(btrim(${toTextValue(text!, name).filled}), ${literal(decimal)})`
  return value('number', at, `cast(${digits} as numeric)`, { isExact: true })
}

function joined(args: FormulaValue[], call: FunctionCall): FormulaValue {
  const texts = summarized(args, { function: 'list', separator: '' }, call).map((text) => toTextValue(text, call.name).filled)
  return value('text', call.at, `(${texts.join(' || ')})`)
}

function joinedList([list, separator]: FormulaValue[], call: FunctionCall): FormulaValue {
  const between = separator ? constantText(requireSingleValue(separator), call) : ', '
  const [text] = summarized([list!], { function: 'list', separator: between }, call)
  return toTextValue(text!, call.name)
}

export const textFunctions = {
  CONCAT: { min: 1, max: 200, takesLists: true, make: joined },
  CONCATENATE: { min: 1, max: 200, takesLists: true, make: joined },
  ARRAYJOIN: { min: 1, max: 2, takesLists: true, make: joinedList },
  LEFT: { min: 1, max: 2, make: cut('left') },
  RIGHT: { min: 1, max: 2, make: cut('right') },
  MID: { min: 3, max: 3, make: middle },
  LEN: {
    min: 1,
    max: 1,
    make: ([text], { at, name }) => value('number', at, `cast(length(${toTextValue(text!, name).filled}) as numeric)`, { isExact: true }),
  },
  LOWER: { min: 1, max: 1, make: changed((text) => `lower(${text})`) },
  UPPER: { min: 1, max: 1, make: changed((text) => `upper(${text})`) },
  PROPER: { min: 1, max: 1, make: changed((text) => `initcap(${text})`) },
  TRIM: { min: 1, max: 1, make: changed((text) => `regexp_replace(btrim(${text}), ' +', ' ', 'g')`) },
  SUBSTITUTE: { min: 3, max: 4, make: substituted },
  REPLACE: { min: 4, max: 4, make: replaced },
  FIND: { min: 2, max: 3, make: found(({ filled }) => filled) },
  SEARCH: { min: 2, max: 3, make: found(withoutCase) },
  REPT: { min: 2, max: 2, make: repeated },
  VALUE: { min: 1, max: 1, make: parsed },
} satisfies Record<string, FormulaFunction>
