import { columnTypeNames, columnTypes } from './column-types'
import type { ColumnTypeView } from './model'

/** For user interfaces and scripts: everything about the types that a column can be made with. */
export const listColumnTypes = (): ColumnTypeView[] =>
  columnTypeNames.map((name) => {
    const { description, options, valueSchema, editor, filledBy } = columnTypes[name]
    return { name, description, options, value: valueSchema({}), editor, readOnly: filledBy !== undefined }
  })
