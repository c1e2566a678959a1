import { Button, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { type DraftGroup, fromFilterDraft, isFilterable, newRule, toFilterDraft } from '../../fields/filter/filter-draft'
import { FilterGroupBox } from '../../fields/filter/filter-group'
import { FilterUseProvider } from '../../fields/filter/filter-use'
import { useStrings } from '../../language'
import { filterRules, noFilter } from '../../records/filters/filter-tree'
import { filterRuleProblem } from '../../records/filters/rule-problems'
import { cellKind } from '../../records/values/cell-kinds'
import type { GridColumn } from '../../records/values/cell-values'
import { withKeyLast } from '../../records/values/column'
import { parseRule, writeRule } from './rule-text'

type RuleEditorProps = {
  /** Null for all tables, whose rules are edited as text. */
  table: TableView | null
  text: string
  /** Receives the text, without unfinished conditions. */
  change: (text: string, isUnfinished?: boolean) => void
}

/** Edits the conditions of a rule in the filter builder, or as text if the builder cannot show them. */
export function RuleEditor({ table, text, change }: RuleEditorProps) {
  const { access } = useStrings()
  const canBuild = table !== null && (text === '' || parseRule(text, table) !== null)
  const [isText, setAsText] = useState(!canBuild)
  const toggle = () => {
    setAsText(!isText)
    // Discards unfinished conditions.
    change(text)
  }
  return (
    <div className="filter access-rule">
      {isText || !table ? (
        <Textarea
          size="xs"
          label={access.ruleText}
          description={access.ruleTextHelp}
          classNames={{ input: 'mono' }}
          rows={2}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
        />
      ) : (
        <FilterUseProvider value="access">
          <RuleBuilder table={table} text={text} change={change} />
        </FilterUseProvider>
      )}
      {canBuild ? (
        <Button className="at-start" variant="subtle" color="gray" size="compact-xs" onClick={toggle}>
          {isText ? access.asConditions : access.asText}
        </Button>
      ) : table ? (
        <p className="facts">{access.onlyText}</p>
      ) : null}
    </div>
  )
}

/** The usual rule compares a person with the requesting user. */
function firstRule(column: GridColumn) {
  const rule = newRule(column)
  return cellKind(column) === 'person' ? { ...rule, values: ['@me'] } : rule
}

function RuleBuilder({ table, text, change }: RuleEditorProps & { table: TableView }) {
  const columns = withKeyLast(table).filter(isFilterable)
  const firstColumn = columns.find((column) => cellKind(column) === 'person') ?? columns[0]
  const [draft, setDraft] = useState<DraftGroup>(() => {
    const group = toFilterDraft((text !== '' && parseRule(text, table)) || noFilter)
    return group.items.length === 0 && firstColumn ? { ...group, items: [firstRule(firstColumn)] } : group
  })
  const latest = useRef(draft)
  const setRoot = (edit: (root: DraftGroup) => DraftGroup) => {
    latest.current = edit(latest.current)
    setDraft(latest.current)
    const group = fromFilterDraft(latest.current)
    const isUnfinished = filterRules(group).some((rule) => filterRuleProblem(rule, table.columns) !== null)
    change(writeRule(group, table), isUnfinished)
  }
  return (
    <div className="filter-items">
      <FilterGroupBox
        group={draft}
        columns={columns}
        firstColumn={firstColumn}
        refused={noRefusals}
        table={table}
        depth={0}
        setRoot={setRoot}
      />
    </div>
  )
}

/** Empty, because the service reports problems of a rule as a whole, not of single conditions. */
const noRefusals: ReadonlyMap<string, string> = new Map()

/** The builder's initial rule; empty if the user has to write one first. */
export function firstRuleText(table: TableView | null): string {
  const person = table?.columns.find((column) => cellKind(column) === 'person' && isFilterable(column))
  return table && person ? writeRule({ kind: 'group', join: 'and', items: [fromFirstRule(person)] }, table) : ''
}

const fromFirstRule = (column: GridColumn) => {
  const { column: name, operator, values } = firstRule(column)
  return { kind: 'rule', column: name, operator, values } as const
}
