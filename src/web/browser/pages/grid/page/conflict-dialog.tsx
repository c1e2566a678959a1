import { Button, Group } from '@mantine/core'
import { useState, useSyncExternalStore } from 'react'
import type { TableView } from '../../../../../tables/model'
import { Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'
import { textOf } from '../../../values/exact-json'
import { titleColumn } from '../../record/data/column'
import type { Choice, Conflict, Questions } from '../data/conflicts'
import { CellContent } from '../view/cell'

type ConflictDialogProps = { questions: Questions; table: TableView }

/** Both values side by side. Closing it changes nothing of what the other one wrote. */
export function ConflictDialog({ questions, table }: ConflictDialogProps) {
  const { grid } = useStrings()
  const conflicts = useSyncExternalStore(questions.subscribe, questions.first)
  const { answer } = questions
  const all = (choice: Choice) => answer((conflicts ?? []).map(() => choice))
  const [first] = conflicts ?? []
  return (
    <Dialog title={grid.conflictTitle} isOpen={conflicts !== null} close={() => all('theirs')} size={conflicts?.length === 1 ? 'lg' : 'xl'}>
      {conflicts && first ? (
        conflicts.length === 1 ? (
          <One conflict={first} table={table} all={all} />
        ) : (
          <Several conflicts={conflicts} table={table} answer={answer} all={all} />
        )
      ) : null}
    </Dialog>
  )
}

type OneProps = { conflict: Conflict; table: TableView; all: (choice: Choice) => void }

function One({ conflict, table, all }: OneProps) {
  const { grid } = useStrings()
  const side = (choice: Choice, title: string, action: string) => (
    <section className="panel">
      <h3>{title}</h3>
      <div className="grid-side">
        <Side conflict={conflict} table={table} choice={choice} />
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

type SeveralProps = { conflicts: Conflict[]; table: TableView; answer: (choices: Choice[]) => void; all: (choice: Choice) => void }

/** One line for each cell. */
function Several({ conflicts, table, answer, all }: SeveralProps) {
  const { grid } = useStrings()
  const [choices, setChoices] = useState<Choice[]>(() => conflicts.map(() => 'theirs'))
  const choose = (at: number, choice: Choice) => setChoices(choices.map((before, index) => (index === at ? choice : before)))
  const title = titleColumn(table)
  return (
    <div className="form">
      <p>{grid.conflictsText(conflicts.length)}</p>
      <div className="conflicts">
        {conflicts.map((conflict, at) => {
          const name = textOf(conflict.record[title]) || decodeURIComponent(conflict.key)
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
                    <Side conflict={conflict} table={table} choice={choice} />
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

function Side({ conflict, table, choice }: { conflict: Conflict; table: TableView; choice: Choice }) {
  const { grid } = useStrings()
  const column = table.columns.find(({ name }) => name === conflict.column)
  const value = conflict[choice]
  return (
    (column && value !== null && value !== '' && <CellContent value={value} column={column} />) || (
      <span className="soft">{grid.empty}</span>
    )
  )
}
