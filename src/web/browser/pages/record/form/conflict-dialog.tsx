import { Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CancelButton, Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'
import { parseExact } from '../../../values/exact-json'
import type { Draft } from '../fields/field-draft'
import { jsonOf } from '../fields/field-draft'
import { Value } from '../fields/field-value'
import type { Conflict } from './edit-conflicts'

type ConflictProps = { conflicts: readonly Conflict[]; close: () => void; settle: (theirs: ReadonlySet<string>) => void }

/** Somebody else has saved the same fields in the meantime: both versions, side by side, and which one stays. */
export function ConflictDialog({ conflicts, close, settle }: ConflictProps) {
  const { record } = useStrings()
  return (
    <Dialog title={record.conflict} isOpen={conflicts.length > 0} close={close} size="xl">
      <Choices key={conflicts.map(({ column }) => column.id).join()} conflicts={conflicts} close={close} settle={settle} />
    </Dialog>
  )
}

function Choices({ conflicts, close, settle }: ConflictProps) {
  const { record } = useStrings()
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  const choose = (name: string, isTheirs: boolean) =>
    setTheirs((before) => new Set([...before].filter((each) => each !== name).concat(isTheirs ? [name] : [])))
  const isMine = ({ column }: Conflict) => !theirs.has(column.name)
  return (
    <div className="form">
      <p>{record.conflictText}</p>
      {conflicts.map((conflict) => (
        <fieldset key={conflict.column.id} className="versions">
          <legend className="field-label">{conflict.column.name}</legend>
          <Version conflict={conflict} label={record.mine} isChosen={isMine(conflict)} choose={() => choose(conflict.column.name, false)}>
            <Value column={conflict.column} value={typedValue(conflict.column, conflict.mine)} />
          </Version>
          <Version conflict={conflict} label={record.theirs} isChosen={!isMine(conflict)} choose={() => choose(conflict.column.name, true)}>
            <Value column={conflict.column} value={conflict.theirs} />
          </Version>
        </fieldset>
      ))}
      <Group gap="xs" justify="flex-end">
        <CancelButton close={close} />
        <Button onClick={() => settle(theirs)}>{record.saveSelected}</Button>
      </Group>
    </div>
  )
}

type VersionProps = { conflict: Conflict; label: string; isChosen: boolean; choose: () => void; children: ReactNode }

const Version = ({ conflict, label, isChosen, choose, children }: VersionProps) => (
  <label className="version" data-chosen={isChosen}>
    <span className="version-head">
      <input type="radio" name={`version-${conflict.column.id}`} checked={isChosen} onChange={choose} />
      {label}
    </span>
    <span className="version-value">{children}</span>
  </label>
)

/** What was typed, as if it had been saved. */
const typedValue = (column: Conflict['column'], mine: Draft): unknown => parseExact(jsonOf(column, mine) ?? JSON.stringify(mine))
