import { summarized } from '../lists'
import { exponentialOf, powerOf, quotient } from '../operators'
import { type FormulaValue, numberConstant, optional, settled, toNumberValue, value } from '../value'
import { type FormulaFunction, type FunctionCall, wholeNumber } from './function'

const one = (at: number): FormulaValue => numberConstant(at, '1')
const zero = (at: number): FormulaValue => numberConstant(at, '0')

/** A number without rounding errors, which would change the result of cutting off digits. */
function exactly(given: FormulaValue, name: string): string {
  const number = toNumberValue(given, name)
  return settled(number, number.filled)
}

const exact =
  (make: (number: string) => string) =>
  ([number]: FormulaValue[], { at, name }: FunctionCall): FormulaValue =>
    value('number', at, make(exactly(number!, name)), { isExact: true })

const inexact =
  (make: (number: string) => string) =>
  ([number]: FormulaValue[], { at, name }: FunctionCall): FormulaValue =>
    value('number', at, make(toNumberValue(number!, name).filled))

/** Digits after the decimal point; before it, if negative. */
const maxDigits = 100
const digitsOf = (digits: FormulaValue | undefined, { at, name }: FunctionCall): string =>
  wholeNumber(digits ?? zero(at), name, -maxDigits, maxDigits)

const rounded =
  (round: 'round' | 'trunc') =>
  ([number, digits]: FormulaValue[], call: FunctionCall): FormulaValue =>
    value('number', call.at, `${round}(${exactly(number!, call.name)}, ${digitsOf(digits, call)})`, { isExact: true })

/** Rounds away from zero. */
function roundedUp([number, digits]: FormulaValue[], call: FunctionCall): FormulaValue {
  const [sql, places] = [exactly(number!, call.name), digitsOf(digits, call)]
  const step = `power(cast(10 as numeric), ${places})`
  return value('number', call.at, `round(sign(${sql}) * ceil(abs(${sql}) * ${step}) / ${step}, ${places})`, { isExact: true })
}

/** Rounds to a multiple; the multiple 0 results in 0. */
const stepped =
  (round: 'ceil' | 'floor') =>
  ([number, step]: FormulaValue[], { at, name }: FunctionCall): FormulaValue => {
    const [sql, multiple] = [toNumberValue(number!, name).filled, toNumberValue(step ?? one(at), name)]
    const steps = `${round}(round(${quotient(sql, multiple.filled)}, 15))`
    const isExact = multiple.isExact ?? false
    if (Number(multiple.constant ?? 0) !== 0) return value('number', at, `(${steps} * ${multiple.filled})`, { isExact })
    return value('number', at, `case when ${multiple.filled} = 0 then 0 else ${steps} * ${multiple.filled} end`, { isExact })
  }

/** The remainder has the sign of the divisor. */
function remainder([number, divisor]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const [sql, by] = [exactly(number!, name), `nullif(${exactly(divisor!, name)}, 0)`]
  return value('number', at, `mod(mod(${sql}, ${by}) + ${by}, ${by})`, { isExact: true })
}

function logarithm([number, base]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const natural = (sql: string) => `ln(case when ${sql} > 0 then ${sql} end)`
  const sql = toNumberValue(number!, name).filled
  return value('number', at, quotient(natural(sql), natural(toNumberValue(base ?? numberConstant(at, '10'), name).filled)))
}

const numbersOf = (args: FormulaValue[], name: string): FormulaValue[] => args.map((number) => toNumberValue(number, name))
const areExact = (args: FormulaValue[]): boolean => args.every(({ isExact }) => isExact)
const sumOf = (args: FormulaValue[]): string => `(${args.map(({ filled }) => filled).join(' + ')})`

/** Ignores empty values; a value that cannot be computed makes the result empty. */
const extreme =
  (pick: 'least' | 'greatest') =>
  (given: FormulaValue[], call: FunctionCall): FormulaValue => {
    const { at, name } = call
    const args = summarized(given, { function: pick === 'least' ? 'min' : 'max' }, call)
    const [first] = args
    const isDated = (first!.type === 'date' || first!.type === 'dateTime') && args.every(({ type }) => type === first!.type)
    const found = isDated ? args : numbersOf(args, name)
    const isComputed = `num_nulls(${found.map(({ filled }) => filled).join(', ')}) = 0`
    const picked = `${pick}(${found.map(({ sql }) => sql).join(', ')})`
    const whenComputed = (sql: string) => `case when ${isComputed} then ${sql} end`
    if (isDated) {
      const { zone } = first!
      const isOneZone = zone !== undefined && args.every((each) => each.zone === zone)
      const details = { isFinite: args.every((each) => each.isFinite), ...(isOneZone ? { zone } : {}) }
      return optional(first!.type, at, whenComputed(picked), details)
    }
    const filled = whenComputed(`coalesce(${picked}, 0)`)
    return optional('number', at, whenComputed(picked), { filled, isExact: areExact(found) })
  }

function average(args: FormulaValue[], call: FunctionCall): FormulaValue {
  const [first, ...others] = args
  if (first!.list && others.length === 0) return first!.list.summarize({ function: 'avg' }, call.name)
  const numbers = numbersOf(summarized(args, { function: 'sum' }, call), call.name)
  const counted = args.map((arg, index) => (arg.list ? arg : numbers[index]!))
  return value('number', call.at, quotient(sumOf(numbers), count(counted, call).sql))
}

function sum(args: FormulaValue[], call: FunctionCall): FormulaValue {
  const numbers = numbersOf(summarized(args, { function: 'sum' }, call), call.name)
  return value('number', call.at, sumOf(numbers), { isExact: areExact(numbers) })
}

/** The number of arguments that are not empty. */
function count(args: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const counts = args.flatMap(({ list }) => list?.summarize({ function: 'count' }, name).sql ?? [])
  const single = args.filter(({ list }) => !list).map(({ sql, type }) => (type === 'text' ? `nullif(${sql}, '')` : sql))
  const ofSingle = single.length > 0 ? [`cast(num_nonnulls(${single.join(', ')}) as numeric)`] : []
  return value('number', at, `(${[...ofSingle, ...counts].join(' + ')})`, { isExact: true })
}

export const numberFunctions = {
  ROUND: { min: 1, max: 2, make: rounded('round') },
  ROUNDUP: { min: 1, max: 2, make: roundedUp },
  ROUNDDOWN: { min: 1, max: 2, make: rounded('trunc') },
  CEILING: { min: 1, max: 2, make: stepped('ceil') },
  FLOOR: { min: 1, max: 2, make: stepped('floor') },
  INT: { min: 1, max: 1, make: exact((number) => `floor(${number})`) },
  MOD: { min: 2, max: 2, make: remainder },
  ABS: {
    min: 1,
    max: 1,
    make: ([number], { at, name }) =>
      value('number', at, `abs(${toNumberValue(number!, name).filled})`, { isExact: Boolean(number!.isExact) }),
  },
  SIGN: { min: 1, max: 1, make: exact((number) => `sign(${number})`) },
  POWER: {
    min: 2,
    max: 2,
    make: ([base, exponent], { at, name }) => powerOf(toNumberValue(base!, name), toNumberValue(exponent!, name), at),
  },
  SQRT: { min: 1, max: 1, make: inexact((number) => `sqrt(case when ${number} >= 0 then ${number} end)`) },
  EXP: { min: 1, max: 1, make: inexact(exponentialOf) },
  LN: { min: 1, max: 1, make: inexact((number) => `ln(case when ${number} > 0 then ${number} end)`) },
  LOG: { min: 1, max: 2, make: logarithm },
  SUM: { min: 1, max: 200, takesLists: true, make: sum },
  AVERAGE: { min: 1, max: 200, takesLists: true, make: average },
  MIN: { min: 1, max: 200, takesLists: true, make: extreme('least') },
  MAX: { min: 1, max: 200, takesLists: true, make: extreme('greatest') },
  COUNTA: { min: 1, max: 200, takesLists: true, make: count },
} satisfies Record<string, FormulaFunction>
