import type { CellKind } from '../../../records/values/cell-kinds'
import { type GridColumn, toPlainText } from '../../../records/values/cell-values'
import { exactNumber } from '../../../values/exact-json'

/** A cell to continue. */
export type SourceCell = { value: unknown; from: GridColumn }
type Step = (index: number) => unknown

/**
 * Continues a line of cells: as a series if it has two or more numbers or dates with equal differences, otherwise by
 * repeating the cells.
 * @param cells in the direction of the fill
 * @returns the cells after them, by index from 0
 */
export function continueSeries(cells: readonly SourceCell[], kind: CellKind): (index: number) => SourceCell {
  const texts = cells.map(({ value }) => toPlainText(value))
  const series = cells.length < 2 ? null : kind === 'number' ? numberSeries(texts) : kind === 'date' ? dateSeries(texts) : null
  return (index) => {
    const cell = cells[index % cells.length]!
    return series ? { ...cell, value: series(index) } : cell
  }
}

/** @returns the common difference between neighbors; null if there is none */
function equalDifference(numbers: readonly bigint[]): bigint | null {
  const difference = numbers[1]! - numbers[0]!
  return numbers.every((number, at) => at === 0 || number - numbers[at - 1]! === difference) ? difference : null
}

/** Calculates in units of the last decimal place, so that no digit is lost. */
function numberSeries(texts: readonly string[]): Step | null {
  if (!texts.every((text) => /^-?\d+(\.\d+)?$/.test(text))) return null
  const scale = Math.max(...texts.map((text) => text.split('.')[1]?.length ?? 0))
  const units = texts.map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(scale, '0'))
  })
  const difference = equalDifference(units)
  return difference === null ? null : (index) => exactNumber(toDecimal(units.at(-1)! + difference * BigInt(index + 1), scale))
}

function toDecimal(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const text = scale ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits
  return units < 0n ? `-${text}` : text
}

const millisecondsPerDay = 86_400_000

/** Continues dates by days, or by months if the day of the month is always the same. */
function dateSeries(texts: readonly string[]): Step | null {
  const parts = texts.map((text) => /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.slice(1).map(Number))
  if (!parts.every((part) => part !== undefined)) return null
  const [, , day = 1] = parts[0]!
  const months = parts.map(([year = 0, month = 0]) => BigInt(year * 12 + month - 1))
  const byMonth = parts.every((part) => part[2] === day) ? equalDifference(months) : null
  if (byMonth) {
    return (index) => {
      const month = Number(months.at(-1)! + byMonth * BigInt(index + 1))
      const lastDay = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
      return toDate(Date.UTC(Math.floor(month / 12), month % 12, Math.min(day, lastDay)))
    }
  }
  const days = texts.map((text) => BigInt(Date.parse(text) / millisecondsPerDay))
  const difference = equalDifference(days)
  return difference === null ? null : (index) => toDate(Number(days.at(-1)! + difference * BigInt(index + 1)) * millisecondsPerDay)
}

const toDate = (time: number): string => new Date(time).toISOString().slice(0, 10)
