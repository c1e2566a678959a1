import { translatable } from '../../../messages/message'
import { boundedNumber } from './functions/function'
import { problemAtOffset } from './tokens'
import {
  clockTime,
  type FormulaValue,
  finite,
  inEachZone,
  inOneZone,
  localTime,
  momentOf,
  movable,
  optional,
  settled,
  toDateValue,
  toNumberValue,
  toTextValue,
  typeNoun,
  value,
} from './value'

/** @throws FormulaProblem if the values have the wrong types for the sign */
export function applySign(sign: string, left: FormulaValue, right: FormulaValue, at: number): FormulaValue {
  if (sign === '&') return value('text', at, `(${toTextValue(left, sign).filled} || ${toTextValue(right, sign).filled})`)
  return isArithmetic(sign) ? calculated(sign, left, right, at) : compared(sign, left, right, at)
}

export function applyUnary(sign: '-' | '+' | '%', operand: FormulaValue, at: number): FormulaValue {
  const number = toNumberValue(operand, sign)
  const { isExact = false } = number
  if (sign === '+') return number
  if (sign === '%') return value('number', at, `(${number.filled} * 0.01)`, { isExact })
  const negative = value('number', at, `(- ${number.filled})`, { isExact })
  return number.constant === undefined || number.constant.startsWith('-') ? negative : { ...negative, constant: `-${number.constant}` }
}

const isArithmetic = (sign: string): boolean => '+-*/^'.includes(sign)
const isDated = ({ type }: FormulaValue): boolean => type === 'date' || type === 'dateTime'

function calculated(sign: string, left: FormulaValue, right: FormulaValue, at: number): FormulaValue {
  const isBetween = (isDated(left) && (isDated(right) || right.type === 'text')) || (left.type === 'text' && isDated(right))
  if (sign === '-' && isBetween) return daysBetween(toDateValue(left, sign), toDateValue(right, sign), at)
  if (sign === '+' && isDated(right)) return laterBy(right, left, '', sign, at)
  if ((sign === '+' || sign === '-') && isDated(left)) return laterBy(left, right, sign === '-' ? '- ' : '', sign, at)
  const isJoin = sign === '+' && (left.type === 'text' || right.type === 'text')
  if (isJoin) throw problemAtOffset(translatable('adds a text with +; & joins texts'), { at })
  const [one, other] = [toNumberValue(left, sign), toNumberValue(right, sign)]
  if (sign === '^') return powerOf(one, other, at)
  if (sign === '/') return value('number', at, quotient(one.filled, other.filled))
  return value('number', at, `(${one.filled} ${sign} ${other.filled})`, { isExact: Boolean(one.isExact && other.isExact) })
}

/** A quotient with more digits than PostgreSQL's own, so that 10 / 3 * 3 is 10 again once it is rounded. */
export const quotient = (dividend: string, divisor: string): string => `(round(${dividend}, 20) / nullif(${divisor}, 0))`

/** The largest result is about 10^300. */
const maxLogarithm = 690

export function powerOf(base: FormulaValue, exponent: FormulaValue, at: number): FormulaValue {
  const [x, y] = [base.filled, exponent.filled]
  const isSmall = exponent.constant !== undefined && /^[1-9]$/.test(exponent.constant)
  if (isSmall) return value('number', at, `power(${x}, ${y})`)
  const isBounded = (from: string) => `${y} * ln(${from}) <= ${maxLogarithm}`
  const ofZero = `case when ${y} > 0 then 0 when ${y} = 0 then 1 end`
  const ofNegative = `case when ${y} = trunc(${y}) and ${isBounded(`- ${x}`)} then power(${x}, ${y}) end`
  const ofPositive = `case when ${isBounded(x)} then power(${x}, ${y}) end`
  return value('number', at, `case when ${x} > 0 then ${ofPositive} when ${x} = 0 then ${ofZero} when ${x} < 0 then ${ofNegative} end`)
}

export const exponentialOf = (number: string): string => `exp(case when ${number} <= ${maxLogarithm} then greatest(${number}, -1000) end)`

const secondsPerDay = 86_400

function daysBetween(later: FormulaValue, earlier: FormulaValue, at: number): FormulaValue {
  if (later.hasSeveralZones) return inEachZone(later, (moment) => daysBetween(moment, earlier, at))
  if (earlier.hasSeveralZones && later.type === 'date') return inEachZone(earlier, (moment) => daysBetween(later, moment, at))
  if (later.type === 'date' && earlier.type === 'date')
    return optional('number', at, `cast((${finite(later)} - ${finite(earlier)}) as numeric)`, { isExact: true })
  const [end, begin] = inOneZone(later, earlier)
  const seconds = `extract(epoch from (${localTime(end)} - ${localTime(begin)}))`
  return optional('number', at, quotient(seconds, String(secondsPerDay)))
}

/** PostgreSQL's dates reach further than this in both directions. */
const maxDays = 1_000_000

/** Adds days to a date; for a date and time, fractions of days count as well. */
function laterBy(date: FormulaValue, days: FormulaValue, minus: string, name: string, at: number): FormulaValue {
  if (date.hasSeveralZones) return inEachZone(date, (moment) => laterBy(moment, days, minus, name, at))
  const { type, sql, zone } = date
  if (type === 'date') {
    const moved = `(${movable(date, sql, 'date')} + (${minus}cast(${boundedNumber(days, name, maxDays)} as integer)))`
    return optional('date', at, moved, { isFinite: date.isFinite })
  }
  const { filled } = toNumberValue(days, name)
  const bounded = `case when abs(${filled}) <= ${maxDays} then cast(${filled} as double precision) end`
  const moved = momentOf(`(${movable(date, localTime(date), 'timestamp')} + (${minus}${bounded}) * cast('1 day' as interval))`, zone)
  return optional('dateTime', at, moved, { isFinite: true, ...(zone === undefined ? {} : { zone }) })
}

const isNothing = ({ type, constant }: FormulaValue): boolean => type === 'blank' || (type === 'text' && constant === '')

/** Comparisons with "" and BLANK() test whether the other value is empty. */
export function compared(sign: string, left: FormulaValue, right: FormulaValue, at: number): FormulaValue {
  const operator = sign === '!=' ? '<>' : sign
  const isEquality = operator === '=' || operator === '<>'
  const operand = isNothing(right) ? left : isNothing(left) ? right : null
  if (isEquality && operand && operand.type !== 'text') {
    return value('boolean', at, `(${operand.sql} is ${operator === '=' ? '' : 'not '}null)`)
  }
  // The zone of a moment matters when it is compared with a day.
  if (left.hasSeveralZones && right.type !== 'dateTime') return inEachZone(left, (moment) => compared(sign, moment, right, at))
  if (right.hasSeveralZones && left.type !== 'dateTime') return inEachZone(right, (moment) => compared(sign, left, moment, at))
  const [one, other] = ofOneType(left, right, at)
  return value('boolean', at, `(${one} ${operator} ${other})`)
}

/** SQL of both values in a form in which they can be compared. */
function ofOneType(left: FormulaValue, right: FormulaValue, at: number): [string, string] {
  if (isDated(left) || isDated(right)) {
    const [one, other] = [toDateValue(left, '='), toDateValue(right, '=')]
    if (one.type === other.type) return [one.filled, other.filled]
    return [clockTime({ ...one, sql: one.filled }), clockTime({ ...other, sql: other.filled })]
  }
  const [one, other] = [filledLike(right, left), filledLike(left, right)]
  if (one.type !== other.type || one.type === 'other')
    throw problemAtOffset(translatable('compares {one} with {other}', { one: typeNoun(left.type), other: typeNoun(right.type) }), { at })
  return [operandOf(one), operandOf(other)]
}

const operandOf = (operand: FormulaValue): string => (operand.type === 'number' ? settled(operand, operand.filled) : operand.filled)

/** An empty value as one of the other's type. */
function filledLike({ type }: FormulaValue, blank: FormulaValue): FormulaValue {
  if (blank.type !== 'blank') return blank
  return type === 'number' ? toNumberValue(blank, '=') : type === 'text' ? toTextValue(blank, '=') : optional(type, blank.at, 'null')
}
