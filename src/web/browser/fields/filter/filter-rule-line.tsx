import { Select } from '@mantine/core'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import { linkedOperators, type RuleOperator, takesList, takesValues } from '../../records/filters/filter-operators'
import { filterRuleProblem } from '../../records/filters/rule-problems'
import { ruleKey } from '../../records/list/list-query'
import { cellKind } from '../../records/values/cell-kinds'
import type { GridColumn } from '../../records/values/cell-values'
import type { Strings } from '../../strings/en'
import { problemMessage } from '../../values/typed-dates'
import { useLinkedText } from '../link-field'
import { toPathOption, useColumnPaths } from './column-paths'
import { type DraftRule, newRule } from './filter-draft'
import { FilterUseProvider, operatorsOf, useFilterUse } from './filter-use'
import { FilterValue } from './filter-value'

type RuleLineProps = {
  rule: DraftRule
  columns: GridColumn[]
  table: TableView
  refused: ReadonlyMap<string, string>
  change: (rule: DraftRule) => void
}

/** A column, an operator and its value. */
export function FilterRuleLine({ rule, columns, table, refused, change }: RuleLineProps) {
  const { filter, grid } = useStrings()
  const panelUse = useFilterUse()
  const use = rule.linked === undefined ? panelUse : 'path'
  const paths = useColumnPaths(columns)
  const present = toPathOption(rule)
  const column = paths.find(({ value }) => value === present.value)?.column
  const problem = filterRuleProblem(rule, table.columns)
  const problemText = problem === 'date' ? problemMessage(grid.inputProblems, problem) : filter.problems[problem ?? 'incomplete']
  const message = problem && problem !== 'incomplete' ? problemText : refused.get(ruleKey(rule))
  const linked = useLinkedText(column)
  const offered = column ? operatorsOf(use, column) : []
  const operators = use === 'page' && linked !== undefined ? [...linkedOperators, ...offered] : offered
  const setColumn = (path: string | null) => {
    const next = paths.find(({ value }) => value === path)
    if (!next || next.value === present.value) return
    const { link } = next
    change({ ...newRule(next.column, link ? 'path' : panelUse), ...(link && { column: link, linked: next.column.name }), id: rule.id })
  }
  const setOperator = (value: string | null) => {
    const operator = value as RuleOperator
    const isKept = takesList(operator) === takesList(rule.operator) && (operator === 'within') === (rule.operator === 'within')
    const name = linkedOperators.includes(operator) ? linked : undefined
    change({ ...rule, linked: rule.linked ?? name, operator, values: isKept ? rule.values : [] })
  }
  return (
    <div className="filter-rule">
      <Select
        size="xs"
        aria-label={filter.column}
        value={present.value}
        data={[...paths.map(({ value, label }) => ({ value, label })), ...(column ? [] : [present])]}
        searchable={paths.length > 8}
        selectFirstOptionOnChange
        openOnFocus={false}
        allowDeselect={false}
        error={problem === 'unknownColumn' ? message : undefined}
        onChange={setColumn}
      />
      <Select
        size="xs"
        aria-label={filter.operator}
        value={rule.operator}
        data={[...new Set([...operators, rule.operator])].map((value) => ({ value, label: operatorLabel(filter, value, column) }))}
        allowDeselect={false}
        maxDropdownHeight={320}
        onChange={setOperator}
      />
      <div className="filter-value">
        {column && takesValues(rule.operator) ? (
          <FilterUseProvider key={present.value} value={use}>
            <FilterValue
              column={column}
              rule={rule}
              problem={message}
              isRequired={use === 'linked'}
              change={(values) => change({ ...rule, values })}
            />
          </FilterUseProvider>
        ) : problem !== 'unknownColumn' && message ? (
          <p role="alert" className="filter-problem">
            {message}
          </p>
        ) : column ? null : (
          rule.values.join(', ')
        )}
      </div>
    </div>
  )
}

export function operatorLabel(
  { operators, dateOperators }: Strings['filter'],
  operator: RuleOperator,
  column: GridColumn | undefined,
): string {
  const isDate = column !== undefined && ['date', 'dateTime', 'time'].includes(cellKind(column))
  return (isDate && (dateOperators as Partial<Record<RuleOperator, string>>)[operator]) || operators[operator]
}
