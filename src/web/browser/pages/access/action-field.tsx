import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import type { Action } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { useStrings } from '../../language'
import { extentOf, type Line } from './lines'
import { firstRuleText, RuleEditor } from './rule-editor'

type ActionFieldProps = {
  action: Action
  line: Line
  table: TableView | null
  problem: string | undefined
  change: (rule: string, isUnfinished?: boolean) => void
}

type Choice = 'none' | 'all' | 'same' | 'rule'

/**
 * Selects what a line allows its group: nothing, everything, the records it may see, or records that match conditions.
 */
export function ActionField({ action, line, table, problem, change }: ActionFieldProps) {
  const { access } = useStrings()
  const text = line[action]
  const isRule = extentOf(text) === 'some'
  const canBeSame = action !== 'read' && extentOf(line.read) === 'some' && line.read !== ''
  const [hasOwnRule, setOwnRule] = useState(isRule && text !== line.read)
  const choice: Choice = !isRule ? (text as 'none' | 'all') : canBeSame && !hasOwnRule && text === line.read ? 'same' : 'rule'
  const choose = (chosen: Choice) => {
    setOwnRule(chosen === 'rule')
    if (chosen === 'same') change(line.read)
    else if (chosen === 'rule') change(isRule ? text : firstRuleText(table))
    else change(chosen)
  }
  const help = { read: '', create: access.createHelp, update: access.updateHelp, delete: '' }[action]
  return (
    <div className="access-action">
      <NativeSelect
        label={access.actionTitles[action]}
        value={choice}
        data={(['none', 'all', ...(canBeSame ? (['same'] as const) : []), 'rule'] as const).map((value) => ({
          value,
          label: access.choices[value],
        }))}
        onChange={(event) => choose(event.currentTarget.value as Choice)}
      />
      {choice === 'rule' ? (
        <>
          {help ? <p className="facts">{help}</p> : null}
          <RuleEditor table={table} text={text} change={change} />
        </>
      ) : null}
      <p role="alert" className="alert">
        {problem ?? ''}
      </p>
    </div>
  )
}
