import { useQuery } from '@tanstack/react-query'
import { tablesQuery } from '../../api/queries'
import { toTermName } from '../../records/filters/filter-grammar'
import type { FilterRule } from '../../records/filters/filter-operators'
import type { GridColumn } from '../../records/values/cell-values'
import { tableByName, withKeyLast } from '../../records/values/column'
import { linkTypes } from '../link-field'
import { operatorsOf, useFilterUse } from './filter-use'

/** A column that a condition can compare: of the table, or of the records to which the column `link` leads. */
type ConditionColumn = { value: string; label: string; column: GridColumn; link?: string }

type PathNames = Pick<FilterRule, 'column' | 'linked'>

export const toPathOption = (names: PathNames) => ({
  value: toTermName(names),
  label: names.linked === undefined ? names.column : `${names.column} › ${names.linked}`,
})

/** On a page, each link column is followed by those columns of the linked records that the user may read. */
export function useColumnPaths(columns: readonly GridColumn[]): ConditionColumn[] {
  const isPage = useFilterUse() === 'page'
  const { data = [] } = useQuery(tablesQuery)
  return columns.flatMap((column) => {
    const target = isPage && linkTypes.includes(column.type) ? tableByName(data, String(column.options.table)) : undefined
    const linked = target?.can.read ? withKeyLast(target).filter((each) => operatorsOf('path', each).length > 0) : []
    const link = column.name
    return [
      { ...toPathOption({ column: link }), column },
      ...linked.map((each) => ({ ...toPathOption({ column: link, linked: each.name }), column: each, link })),
    ]
  })
}
