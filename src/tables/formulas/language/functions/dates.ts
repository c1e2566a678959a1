import { translatable } from '../../../../messages/message'
import { isTimeZone } from '../../../../time-zone'
import { identifier } from '../../../sql-text'
import { clockName } from '../clock'
import { quotient } from '../operators'
import { problemAtOffset } from '../tokens'
import {
  type FormulaValue,
  finite,
  inEachZone,
  inOneZone,
  localTime,
  momentOf,
  movable,
  numberConstant,
  optional,
  toDateValue,
  toTextValue,
  value,
  wrongType,
} from '../value'
import { boundedNumber, constantNumber, constantText, type FormulaFunction, type FunctionCall, wholeNumber, wordOf } from './function'

const field = (local: string, name: string): string => `trunc(extract(${name} from ${local}))`

const partOfDate =
  (name: string) =>
  ([date]: FormulaValue[], call: FunctionCall): FormulaValue =>
    optional('number', call.at, field(localTime(toDateValue(date!, call.name)), name), { isExact: true })

/** A time has these parts as well. */
const partOfTime =
  (name: string) =>
  (args: FormulaValue[], call: FunctionCall): FormulaValue => {
    const [time] = args
    if (time!.type !== 'time') return partOfDate(name)(args, call)
    return optional('number', call.at, field(time!.sql, name), { isExact: true })
  }

/** As in a spreadsheet: kind 1 counts from Sunday = 1, kind 2 from Monday = 1, kind 3 from Monday = 0. */
function weekday([date, kind]: FormulaValue[], call: FunctionCall): FormulaValue {
  const local = localTime(toDateValue(date!, call.name))
  const number = constantNumber(kind ?? numberConstant(call.at, '1'), call, 3)
  const sql = number === 1 ? `(${field(local, 'dow')} + 1)` : number === 2 ? field(local, 'isodow') : `(${field(local, 'isodow')} - 1)`
  return optional('number', call.at, sql, { isExact: true })
}

const interval = (count: string, unit: string): string => `cast(${count} as double precision) * cast('1 ${unit}' as interval)`

/** Months and days outside the calendar roll over, as in a spreadsheet. */
function dateOf([year, month, day]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const first = `make_date(nullif(${wholeNumber(year!, name, 1, 10_000)}, 10000), 1, 1)`
  const months = interval(`(${boundedNumber(month!, name, 12_000)} - 1)`, 'month')
  const days = interval(`(${boundedNumber(day!, name, 400_000)} - 1)`, 'day')
  return optional('date', at, `cast((${first} + ${months} + ${days}) as date)`, { isFinite: true })
}

type Unit = 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'quarters' | 'years'

const units: Readonly<Record<string, Unit>> = {
  ...{ seconds: 'seconds', second: 'seconds', s: 'seconds', minutes: 'minutes', minute: 'minutes', m: 'minutes' },
  ...{ hours: 'hours', hour: 'hours', h: 'hours', days: 'days', day: 'days', d: 'days', weeks: 'weeks', week: 'weeks', w: 'weeks' },
  ...{ months: 'months', month: 'months', M: 'months', quarters: 'quarters', quarter: 'quarters', Q: 'quarters' },
  ...{ years: 'years', year: 'years', y: 'years' },
}
const timeUnits: readonly Unit[] = ['seconds', 'minutes', 'hours']

/** About 2,700 years each, so that PostgreSQL's dates can hold the result; a larger number makes it empty. */
const maxCounts: Record<Unit, number> = {
  ...{ seconds: 86_400_000_000, minutes: 1_440_000_000, hours: 24_000_000, days: 1_000_000, weeks: 140_000 },
  ...{ months: 32_000, quarters: 10_000, years: 2700 },
}

/** If the month does not have the day, the result is the last day of the month. */
function moved([date, count, unitName]: FormulaValue[], call: FunctionCall): FormulaValue {
  const { at, name } = call
  const from = toDateValue(date!, name)
  const unit = wordOf(unitName!, units, call)
  const number = boundedNumber(count!, name, maxCounts[unit])
  const step = unit === 'quarters' ? interval(`3 * ${number}`, 'month') : interval(number, unit.slice(0, -1))
  // Hours have a fixed length, whatever the clocks of the zone show.
  const { zone: _, ...inUtc } = from
  const moment = from.type === 'dateTime' && timeUnits.includes(unit) ? inUtc : from
  const local = `(${movable(moment, localTime(moment), 'timestamp')} + ${step})`
  if (from.type === 'date' && !timeUnits.includes(unit)) return optional('date', at, `cast(${local} as date)`, { isFinite: true })
  return optional('dateTime', at, momentOf(local, moment === from ? from.zone : undefined), {
    isFinite: true,
    ...(from.zone === undefined ? {} : { zone: from.zone }),
  })
}

function endOfMonth([date, months]: FormulaValue[], { at, name }: FunctionCall): FormulaValue {
  const from = toDateValue(date!, name)
  const local = movable(from, localTime(from), 'timestamp')
  const next = interval(`(${boundedNumber(months!, name, maxCounts.months)} + 1)`, 'month')
  return optional('date', at, `(cast((date_trunc('month', ${local}) + ${next}) as date) - 1)`, { isFinite: true })
}

const secondsPer: Partial<Record<Unit, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 }

/** Whole units from the second date to the first, negative if the first is earlier. */
function difference([later, earlier, unitName]: FormulaValue[], call: FunctionCall): FormulaValue {
  const [end, begin] = inOneZone(toDateValue(later!, call.name), toDateValue(earlier!, call.name))
  const [to, from] = [localTime(end), localTime(begin)]
  const unit = wordOf(unitName!, units, call)
  const seconds = secondsPer[unit]
  const found = (sql: string) => optional('number', call.at, `trunc(${sql})`, { isExact: true })
  // Hours have a fixed length; a day has 23 or 25 of them when clocks change.
  const isElapsed = timeUnits.includes(unit) && end.type === 'dateTime' && begin.type === 'dateTime'
  const elapsed = isElapsed ? `(${finite(end)} - ${finite(begin)})` : `(${to} - ${from})`
  if (seconds !== undefined) return found(quotient(`extract(epoch from ${elapsed})`, String(seconds)))
  const months = `(extract(year from age(${to}, ${from})) * 12 + extract(month from age(${to}, ${from})))`
  return found(quotient(months, unit === 'years' ? '12' : unit === 'quarters' ? '3' : '1'))
}

function zoneOf(zoneName: FormulaValue, call: FunctionCall): string {
  const zone = constantText(zoneName, call)
  if (isTimeZone(zone)) return zone
  throw problemAtOffset(
    translatable('names a time zone that does not exist; a zone is written as {example}', { example: '"Europe/Berlin"' }),
    zoneName,
  )
}

function inZone([date, zoneName]: FormulaValue[], call: FunctionCall): FormulaValue {
  const zone = zoneOf(zoneName!, call)
  if (date!.type !== 'dateTime') throw wrongType(date!, 'dateTime', call.name)
  // A choice between two moments would convert each of them in its own zone.
  const { convert: _, hasSeveralZones: __, ...moment } = date!
  return { ...moment, zone }
}

const dateText = ([date]: FormulaValue[], { at, name }: FunctionCall): FormulaValue => {
  const found = toDateValue(date!, name)
  const day = found.type === 'date' ? found : { ...optional('date', at, `cast(${localTime(found)} as date)`, { isFinite: true }) }
  return { ...toTextValue(day, name), at }
}

const now = (at: number): FormulaValue => value('dateTime', at, identifier(clockName), { isFinite: true, isUnmoved: true })

/** The day in UTC, or in a zone. */
function today([zoneName]: FormulaValue[], call: FunctionCall): FormulaValue {
  const zone = zoneName && zoneOf(zoneName, call)
  const local = localTime({ ...now(call.at), ...(zone === undefined ? {} : { zone }) })
  return value('date', call.at, `cast(${local} as date)`, { isFinite: true, isUnmoved: true })
}

/** The first argument may be a choice between moments in different zones. */
const byZone =
  (make: FormulaFunction['make']): FormulaFunction['make'] =>
  ([date, ...rest], call) =>
    inEachZone(date!, (moment) => make([moment, ...rest], call))

export const dateFunctions = {
  DATE: { min: 3, max: 3, make: dateOf },
  YEAR: { min: 1, max: 1, make: byZone(partOfDate('year')) },
  MONTH: { min: 1, max: 1, make: byZone(partOfDate('month')) },
  DAY: { min: 1, max: 1, make: byZone(partOfDate('day')) },
  HOUR: { min: 1, max: 1, make: byZone(partOfTime('hour')) },
  MINUTE: { min: 1, max: 1, make: byZone(partOfTime('minute')) },
  SECOND: { min: 1, max: 1, make: byZone(partOfTime('second')) },
  WEEKDAY: { min: 1, max: 2, make: byZone(weekday) },
  ISOWEEKNUM: { min: 1, max: 1, make: byZone(partOfDate('week')) },
  DATEADD: { min: 3, max: 3, make: byZone(moved) },
  EOMONTH: { min: 2, max: 2, make: byZone(endOfMonth) },
  DATETIME_DIFF: { min: 3, max: 3, make: byZone(difference) },
  NOW: { min: 0, max: 0, make: (_args, { at }) => now(at) },
  TODAY: { min: 0, max: 1, make: today },
  DATESTR: { min: 1, max: 1, make: byZone(dateText) },
  SET_TIMEZONE: { min: 2, max: 2, make: inZone },
} satisfies Record<string, FormulaFunction>
