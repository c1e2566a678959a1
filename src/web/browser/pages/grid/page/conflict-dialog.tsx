import { Button, Group } from '@mantine/core'
import { useState, useSyncExternalStore } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Dialog } from '../../../components/dialog'
import { CellContent } from '../../../fields/cells/cell'
import { useStrings } from '../../../language'
import type { CellConflict, ConflictChoice, ConflictQueue } from '../../../records/mutations/conflicts'
import { titleColumn } from '../../../records/values/column'
import { toText } from '../../../values/exact-json'

type CellConflictDialogProps = { questions: ConflictQueue; table: TableView }

/** Shows both values of each conflict. Closing keeps the other user's values. */
export function CellConflictDialog({ questions, table }: CellConflictDialogProps) {
  const { grid } = useStrings()
  const conflicts = useSyncExternalStore(questions.subscribe, questions.current)
  const { answer } = questions
  const all = (choice: ConflictChoice) => answer((conflicts ?? []).map(() => choice))
  const [first] = conflicts ?? []
  return (
    <Dialog title={grid.conflictTitle} isOpen={conflicts !== null} close={() => all('theirs')} size={conflicts?.length === 1 ? 'lg' : 'xl'}>
      {conflicts && first ? (
        conflicts.length === 1 ? (
          <SingleConflict conflict={first} table={table} all={all} />
        ) : (
          <ConflictList conflicts={conflicts} table={table} answer={answer} all={all} />
        )
      ) : null}
    </Dialog>
  )
}

type SingleConflictProps = { conflict: CellConflict; table: TableView; all: (choice: ConflictChoice) => void }

function SingleConflict({ conflict, table, all }: SingleConflictProps) {
  const { grid } = useStrings()
  const side = (choice: ConflictChoice, title: string, action: string) => (
    <section className="panel">
      <h3>{title}</h3>
      <div className="grid-side">
        <ConflictValue conflict={conflict} table={table} choice={choice} />
      </div>
      <Button
        variant={choice === 'mine' ? 'filled' : 'default'}
        onClick={() => all(choice)}
        data-autofocus={choice === 'theirs' || undefined}
      >
        {action}
      </Button>
    </section>
  )
  return (
    <div className="form">
      <p>{grid.conflictText(conflict.column)}</p>
      <div className="two">
        {side('theirs', grid.theirs, grid.keepTheirs)}
        {side('mine', grid.mine, grid.keepMine)}
      </div>
    </div>
  )
}

type ConflictListProps = {
  conflicts: CellConflict[]
  table: TableView
  answer: (choices: ConflictChoice[]) => void
  all: (choice: ConflictChoice) => void
}

/** One entry for each cell. */
function ConflictList({ conflicts, table, answer, all }: ConflictListProps) {
  const { grid } = useStrings()
  const [choices, setChoices] = useState<ConflictChoice[]>(() => conflicts.map(() => 'theirs'))
  const choose = (at: number, choice: ConflictChoice) => setChoices(choices.map((before, index) => (index === at ? choice : before)))
  const title = titleColumn(table)
  return (
    <div className="form">
      <p>{grid.conflictsText(conflicts.length)}</p>
      <div className="conflicts">
        {conflicts.map((conflict, at) => {
          const name = toText(conflict.record[title]) || decodeURIComponent(conflict.key)
          const label = grid.conflictOf(name, conflict.column)
          return (
            <fieldset key={`${conflict.key} ${conflict.column}`} className="versions">
              <legend className="field-label">{label}</legend>
              {(['theirs', 'mine'] as const).map((choice) => (
                <label key={choice} className="version" data-chosen={choices[at] === choice}>
                  <span className="version-head">
                    <input type="radio" name={`conflict-${at}`} checked={choices[at] === choice} onChange={() => choose(at, choice)} />
                    {choice === 'mine' ? grid.mine : grid.theirs}
                  </span>
                  <span className="version-value">
                    <ConflictValue conflict={conflict} table={table} choice={choice} />
                  </span>
                </label>
              ))}
            </fieldset>
          )
        })}
      </div>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={() => all('theirs')} data-autofocus>
          {grid.keepAllTheirs}
        </Button>
        <Button variant="default" onClick={() => all('mine')}>
          {grid.keepAllMine}
        </Button>
        <Button onClick={() => answer(choices)}>{grid.keepSelected}</Button>
      </Group>
    </div>
  )
}

function ConflictValue({ conflict, table, choice }: { conflict: CellConflict; table: TableView; choice: ConflictChoice }) {
  const { grid } = useStrings()
  const column = table.columns.find(({ name }) => name === conflict.column)
  const value = conflict[choice]
  return (
    (column && value !== null && value !== '' && <CellContent value={value} column={column} />) || (
      <span className="soft">{grid.empty}</span>
    )
  )
}
