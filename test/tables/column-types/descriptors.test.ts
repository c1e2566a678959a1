import { describe, expect, test } from 'bun:test'
import { columnTypeNames, columnTypes } from '../../../src/tables/column-types'
import { type ColumnTypeName, columnTypeDescriptors, findColumnType } from '../../../src/tables/column-types/descriptors'

const every = Object.entries(columnTypeDescriptors) as [ColumnTypeName, (typeof columnTypeDescriptors)[ColumnTypeName]][]

describe('the descriptor of a type', () => {
  test('is there for every type, in a group of the menu if a column can be made with it', () => {
    expect(every.map(([name]) => name).sort()).toEqual([...columnTypeNames, 'other' as const].sort())
    expect(every.filter(([, { group }]) => group === undefined).map(([name]) => name)).toEqual(['other'])
  })

  test.each(every)('%s: names options that there are', (name, { lineOptions = [] }) => {
    expect(Object.keys(columnTypes[name].options.properties)).toEqual(expect.arrayContaining([...lineOptions]))
  })

  test.each(every.filter(([, { group }]) => group !== undefined))(
    '%s: says of conversions what the definition does',
    (name, descriptor) => {
      const { conversion } = columnTypes[name]
      // A list of links is in a table of its own, and is converted there.
      const isList = name === 'manyLinks'
      expect(descriptor.keepsType ?? false).toBe(conversion === undefined && !isList)
      // What is filled becomes another type, and nothing becomes it.
      expect(descriptor.filledBy === undefined && !descriptor.keepsType).toBe(conversion?.fromText !== undefined || isList)
    },
  )

  test('of no type is none', () => {
    expect([findColumnType('constructor'), findColumnType('moment')]).toEqual([null, null])
  })
})
