import { describe, expect, test } from 'bun:test'
import { columnTypeNames } from '../../../src/tables/column-types'
import { ColumnTypeIcon } from '../../../src/web/browser/components/column-type-icon'
import { cellKind, isEditable } from '../../../src/web/browser/records/values/cell-kinds'
import { type ColumnInfo, isGenerated, isNumberType } from '../../../src/web/browser/records/values/column'
import * as kinds from '../../../src/web/browser/records/values/column-kinds'

const generated = ['autoNumber', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy']
const computed = ['formula', 'lookup', 'rollup', 'count']
const fixed = [...computed, 'reverseLinks', 'attachment']
const lists = [...fixed, 'manyLinks']
const every = [...columnTypeNames, 'other']
const columnOf = (type: string): ColumnInfo => ({ ...kinds.unconstrained, id: '', name: 'x', type, options: {} })

describe('the web UI', () => {
  test('offers every type once, as people look for it', () => {
    expect(Object.values(kinds.typeGroups).flat().sort()).toEqual([...columnTypeNames].sort())
    expect(kinds.typeGroups.time).toEqual(['date', 'time', 'dateTime', 'duration', 'createdAt', 'updatedAt'])
  })

  test('tells all types apart by their icons', () => {
    const icons = Map.groupBy(every, (type) => ColumnTypeIcon({ type }).props.name)
    expect([...icons.values()].filter((types) => types.length > 1)).toEqual([])
    expect(ColumnTypeIcon({ type: 'constructor' }).props.name).toBe(ColumnTypeIcon({ type: 'other' }).props.name)
  })

  test.each([
    ['be required', kinds.canRequire, [...generated, ...lists, 'user']],
    ['be unique', kinds.canBeUnique, [...generated, ...lists, 'json']],
    ['have a default', kinds.canHaveDefault, [...generated, ...lists, 'user']],
    ['become another type', (type: string) => !kinds.isFixedType(type), fixed],
    ['be what a text becomes', (type: string) => kinds.canConvertTo(type, 'text'), [...generated, ...fixed]],
    ['be what a number becomes', (type: string) => kinds.canConvertTo(type, 'integer'), [...generated, ...lists]],
    ['be written in the grid', (type: string) => isEditable(columnOf(type)), [...generated, ...computed, 'other']],
    ['be written in the form', (type: string) => !isGenerated(columnOf(type)), [...generated, ...computed]],
  ])('lets all types %s but those that cannot', (_what, can, expected) => {
    expect(every.filter((type) => !can(type)).sort()).toEqual([...expected].sort())
  })

  test('shows a value as its type asks for, and that of a formula as the type that comes out', () => {
    const shown = (type: string, options = {}) => cellKind({ ...columnOf(type), options })
    expect([shown('updatedBy'), shown('bigint'), shown('url'), shown('uuid'), shown('of tomorrow')]).toEqual([
      'person',
      'number',
      'address',
      'text',
      'text',
    ])
    expect([shown('formula', { valueType: 'decimal' }), shown('formula')]).toEqual(['number', 'text'])
    expect(every.filter(isNumberType)).toEqual(['integer', 'bigint', 'decimal', 'currency', 'percent', 'float', 'rating', 'duration'])
  })
})
