import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { Dialog } from '../../components/dialog'
import { useStrings } from '../../language'
import { CellContent } from './cell'
import type { Conflict } from './writer'

type Choice = 'mine' | 'theirs'
type Open = Conflict & { answer: (choice: Choice) => void }

/** Asks which of two values is to stay, one cell after the other. */
export function useConflict() {
  const [waiting, setWaiting] = useState<Open[]>([])
  const calls = useMemo(
    () => ({
      choose: (conflict: Conflict) => new Promise<Choice>((done) => setWaiting((before) => [...before, { ...conflict, answer: done }])),
      answer: (choice: Choice) =>
        setWaiting(([first, ...rest]) => {
          first?.answer(choice)
          return rest
        }),
    }),
    [],
  )
  return { asked: waiting[0] ?? null, ...calls }
}

type ConflictDialogProps = { conflict: Open | null; table: TableView; answer: (choice: Choice) => void }

/** Both values side by side. Closing it changes nothing of what the other one wrote. */
export function ConflictDialog({ conflict, table, answer }: ConflictDialogProps) {
  const { grid } = useStrings()
  const column = table.columns.find(({ name }) => name === conflict?.column)
  const side = (choice: Choice, title: string, value: unknown, action: string) => (
    <section className="panel">
      <h3>{title}</h3>
      <div className="grid-side">
        {(column && <CellContent value={value} column={column} />) || <span className="soft">{grid.nothing}</span>}
      </div>
      <Button
        variant={choice === 'mine' ? 'filled' : 'default'}
        onClick={() => answer(choice)}
        data-autofocus={choice === 'theirs' || undefined}
      >
        {action}
      </Button>
    </section>
  )
  return (
    <Dialog title={grid.conflictTitle} isOpen={conflict !== null} close={() => answer('theirs')} size="lg">
      {conflict ? (
        <div className="form">
          <p>{grid.conflictText(conflict.column)}</p>
          <div className="two">
            {side('theirs', grid.theirs, conflict.theirs, grid.keepTheirs)}
            {side('mine', grid.mine, conflict.mine, grid.keepMine)}
          </div>
        </div>
      ) : null}
    </Dialog>
  )
}
