import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { tablesQuery } from '../../api/queries'
import { useStableCallbacks } from '../../components/use-stable-callbacks'
import { useStrings } from '../../language'
import { LinkOption } from './cell-options'
import { type ColumnOverride, type FoundTable, hasLinks, type ImportPlan, namingColumns, type TableDraft } from './plan'
import { PlanColumn } from './plan-column'

type PlanFormProps = {
  plan: ImportPlan
  /** The table according to the last check. */
  found: FoundTable
  draft: TableDraft
  /** @param isRenamed whether a column was renamed, left out, or included again */
  change: (draft: TableDraft, isRenamed: boolean) => void
  submit: () => void
  canChange: boolean
  children: ReactNode
}

/** The new table: its name, and for each column of the file whether it is imported, its name and its type. */
export function PlanForm({ plan, found, draft, change, submit, canChange, children }: PlanFormProps) {
  const { transfer } = useStrings()
  const { data: tables = [] } = useQuery(tablesQuery)
  const { name, overrides } = draft
  // The key is one of the columns.
  const { columns, chosen } = namingColumns(found, draft)
  const send = (event: FormEvent) => {
    event.preventDefault()
    submit()
  }
  // Stable, because rendering all columns is slow: there may be hundreds of columns, and of tables to link to.
  const { changeColumn } = useStableCallbacks({
    changeColumn: (index: number, override: ColumnOverride) => {
      const before = overrides.get(index)
      const isRenamed = override?.name !== before?.name || (override === null) !== (before === null)
      change({ ...draft, overrides: new Map(overrides).set(index, override) }, isRenamed)
    },
  })
  return (
    <form className="form" onSubmit={send}>
      <TextInput
        label={transfer.tableName}
        value={name}
        required
        withAsterisk={false}
        onChange={(event) => change({ ...draft, name: event.currentTarget.value }, false)}
      />
      <ul className="plan" aria-label={transfer.columns}>
        {plan.columns.map((_, index) => (
          <PlanColumn
            // biome-ignore lint/suspicious/noArrayIndexKey: a column of a file is identified by its position
            key={index}
            {...{ plan, index, tables, canChange }}
            found={found.columns[index]!}
            primaryKey={found.primaryKey}
            override={overrides.get(index)}
            change={changeColumn}
          />
        ))}
      </ul>
      {columns.length > 2 || (columns.length > 1 && chosen.name === found.primaryKey) ? (
        <NativeSelect
          label={transfer.naming}
          value={chosen.id}
          onChange={(event) => change({ ...draft, naming: event.currentTarget.value }, false)}
          data={columns.map((column) => ({ value: column.id, label: column.name }))}
        />
      ) : null}
      {hasLinks(draft) ? <LinkOption links={draft.links} change={(links) => change({ ...draft, links }, false)} /> : null}
      {children}
    </form>
  )
}
