import { Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CancelButton, Dialog } from '../../../components/dialog'
import type { FieldDraft } from '../../../fields/field-draft'
import { toJson } from '../../../fields/field-draft'
import { FieldValue } from '../../../fields/field-value'
import { useStrings } from '../../../language'
import { decimalMark } from '../../../values/decimal'
import { parseExact } from '../../../values/exact-json'
import type { FieldConflict } from './edit-conflicts'

type FieldConflictProps = { conflicts: readonly FieldConflict[]; close: () => void; settle: (theirs: ReadonlySet<string>) => void }

/** Another user has changed the same fields: shows both values and asks which to keep. */
export function FieldConflictDialog({ conflicts, close, settle }: FieldConflictProps) {
  const { record } = useStrings()
  return (
    <Dialog title={record.conflict} isOpen={conflicts.length > 0} close={close} size="xl">
      <ConflictChoices key={conflicts.map(({ column }) => column.id).join()} conflicts={conflicts} close={close} settle={settle} />
    </Dialog>
  )
}

function ConflictChoices({ conflicts, close, settle }: FieldConflictProps) {
  const { record } = useStrings()
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  const choose = (name: string, isTheirs: boolean) =>
    setTheirs((before) => new Set([...before].filter((each) => each !== name).concat(isTheirs ? [name] : [])))
  const isMine = ({ column }: FieldConflict) => !theirs.has(column.name)
  return (
    <div className="form">
      <p>{record.conflictText}</p>
      {conflicts.map((conflict) => (
        <fieldset key={conflict.column.id} className="versions">
          <legend className="field-label">{conflict.column.name}</legend>
          <Version conflict={conflict} label={record.mine} isChosen={isMine(conflict)} choose={() => choose(conflict.column.name, false)}>
            <FieldValue column={conflict.column} value={draftValue(conflict.column, conflict.mine)} />
          </Version>
          <Version conflict={conflict} label={record.theirs} isChosen={!isMine(conflict)} choose={() => choose(conflict.column.name, true)}>
            <FieldValue column={conflict.column} value={conflict.theirs} />
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

type VersionProps = { conflict: FieldConflict; label: string; isChosen: boolean; choose: () => void; children: ReactNode }

const Version = ({ conflict, label, isChosen, choose, children }: VersionProps) => (
  <label className="version" data-chosen={isChosen}>
    <span className="version-head">
      <input type="radio" name={`version-${conflict.column.id}`} checked={isChosen} onChange={choose} />
      {label}
    </span>
    <span className="version-value">{children}</span>
  </label>
)

/** The value of a draft as it would be after a save. */
const draftValue = (column: FieldConflict['column'], mine: FieldDraft): unknown =>
  parseExact(toJson(column, mine, decimalMark()) ?? JSON.stringify(mine))
