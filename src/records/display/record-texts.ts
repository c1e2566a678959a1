import { displayColumnOf } from '../../tables/display-column'
import type { Column, Table } from '../../tables/model'
import { type NameReader, type Names, readNames } from './names'
import { scalarText } from './text'
import { valueText } from './value-text'

type Values = Readonly<Record<string, unknown>>

/** A record as people write it: its name, and the text of each of its values. */
export type RecordTexts = { name: string; values: Record<string, string> }

export async function recordTexts(reader: NameReader, table: Table, records: readonly Values[]): Promise<RecordTexts[]> {
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const values = table.columns.map((column) => [column, records.map((record) => record[column.name])] as const)
  const names = await readNames(reader, table, values)
  const display = displayColumnOf(table)
  const textOf = (name: string, value: unknown) => columnText(columns.get(name) ?? null, value, names, reader)
  return records.map((record) => ({
    name: display ? textOf(display.name, record[display.name]) : '',
    values: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, textOf(name, value)])),
  }))
}

function columnText(column: Column | null, value: unknown, names: Names, { language }: NameReader): string {
  const write = (item: unknown): string => {
    const name = column && names.get(column)?.get(scalarText(item) ?? '')
    if (name) return name
    return valueText(column, item, language) ?? (column?.type === 'attachment' ? nameOfFile(item) : undefined) ?? JSON.stringify(item)
  }
  return column?.type !== 'json' && Array.isArray(value) ? value.map(write).join(', ') : write(value)
}

const nameOfFile = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string' ? item.name : undefined
