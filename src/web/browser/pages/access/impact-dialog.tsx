import { Button } from '@mantine/core'
import { useState } from 'react'
import type { AccessImpact, Action, ActionChange, UserChange, VisibilityChange } from '../../../../access/model'
import { ApiError } from '../../api/api-error'
import { CancelButton, Dialog } from '../../components/dialog'
import { Form } from '../../components/form/form'
import { useStrings } from '../../language'
import type { Strings } from '../../strings/en'
import { accessActions } from './lines'
import { ViewNotices } from './view-notices'

type ImpactDialogProps = {
  impact: AccessImpact | null
  close: () => void
  /** @throws ApiError */
  save: () => Promise<void>
  /** Replaces the edited document with the saved one. */
  loadAnew: () => void
}

/** The users who gain or lose access, shown before the rules are saved. */
export function ImpactDialog({ impact, close, save, loadAnew }: ImpactDialogProps) {
  const { access } = useStrings()
  const [shown, setShown] = useState(impact)
  if (impact !== null && shown !== impact) setShown(impact)
  return (
    <Dialog title={access.impact} isOpen={impact !== null} close={close} size="lg">
      {shown ? <ImpactForm impact={shown} close={close} save={save} loadAnew={loadAnew} /> : null}
    </Dialog>
  )
}

function ImpactForm({ impact, close, save, loadAnew }: ImpactDialogProps & { impact: AccessImpact }) {
  const { access } = useStrings()
  const [isOutdated, setOutdated] = useState(false)
  const submit = async () => {
    try {
      await save()
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error
      setOutdated(true)
    }
  }
  const losses = impact.tables.flatMap(({ name, users }) => {
    const losing = users.filter(losesTable)
    return losing.length > 0 ? [{ name, users: losing }] : []
  })
  if (isOutdated) {
    return (
      <div className="form">
        <p role="alert">{access.changedMeanwhile}</p>
        <Button className="at-start" onClick={loadAnew} data-autofocus>
          {access.loadAnew}
        </Button>
      </div>
    )
  }
  return (
    <Form action={access.save} submit={submit} isDangerous={losses.length > 0} beside={<CancelButton close={close} />}>
      {losses.length > 0 ? (
        <div className="access-note" role="alert">
          <strong>{access.lossAlert}</strong>
          <ul>
            {losses.map(({ name, users }) => (
              <li key={name}>{access.losesTable(namesOf(users, access), name)}</li>
            ))}
          </ul>
        </div>
      ) : null}
      {impact.tables.length === 0 && !impact.isPartial ? <p>{access.noImpact}</p> : null}
      {impact.tables.map((table) => (
        <section key={table.id} className="access-impact" aria-label={table.name}>
          <h3>{table.name}</h3>
          <TableImpact users={table.users} />
        </section>
      ))}
      <ViewNotices notices={impact.notices} />
      {impact.isPartial ? <p className="soft">{access.isPartial}</p> : null}
    </Form>
  )
}

const losesTable = ({ read }: UserChange) => read?.after === 'none' && read.before !== 'none'

const maxNames = 8

function namesOf(users: readonly UserChange[], { andOthers }: Strings['access']): string {
  const names = users.slice(0, maxNames).map(({ name }) => name)
  return users.length > maxNames ? `${names.join(', ')} ${andOthers(users.length - maxNames)}` : names.join(', ')
}

/** Groups users with the same changes. */
function TableImpact({ users }: { users: readonly UserChange[] }) {
  const { access } = useStrings()
  const groups = Map.groupBy(users, ({ id: _id, name: _name, ...change }) => JSON.stringify(change))
  return (
    <ul>
      {[...groups.values()].map((same) => (
        <li key={same[0]!.id}>
          <strong>{same.length > 1 ? access.each(namesOf(same, access)) : namesOf(same, access)}</strong>
          <ul>
            {changeLines(same[0]!, access).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

function changeLines(change: UserChange, words: Strings['access']): string[] {
  const actions = accessActions.flatMap((action) => {
    const its = change[action]
    return its ? actionLines(action, its, words) : []
  })
  const columns = [
    ...namesLine(change.columns?.gained, words.columnsGained),
    ...namesLine(change.columns?.lost, words.columnsLost),
    ...namesLine(change.writable?.gained, words.writableGained),
    ...namesLine(change.writable?.lost, words.writableLost),
  ]
  return [...actions, ...cellLines(change.cells, words.cells), ...cellLines(change.writableCells, words.writableCells), ...columns]
}

const namesLine = (names: readonly string[] | undefined, line: (names: string) => string): string[] =>
  names && names.length > 0 ? [line(names.join(', '))] : []

/** Groups columns with equal counts. The counts are null if the records were not counted. */
const cellLines = (changes: readonly VisibilityChange[] = [], words: Strings['access']['cells']): string[] =>
  [...Map.groupBy(changes, ({ gained, lost }) => `${gained} ${lost}`).values()].flatMap((equal) => {
    const { gained, lost } = equal[0]!
    const columns = equal.map(({ column }) => column).join(', ')
    return gained === null || lost === null
      ? [words.changed(columns)]
      : [...(lost > 0 ? [words.lost(columns, lost)] : []), ...(gained > 0 ? [words.gained(columns, gained)] : [])]
  })

/** Future records cannot be counted, and existing ones are not counted if that takes too long. */
function actionLines(action: Action, { before, after, gained, lost }: ActionChange, words: Strings['access']): string[] {
  if (gained === null && before === after) return [words.otherRecords(words.actionTitles[action])]
  if (action === 'create' || !(lost || gained))
    return [words.changeOf(words.actionTitles[action], words.extents[before], words.extents[after])]
  return [
    ...(lost ? [words.mayNoLonger[action](words.recordCount(lost))] : []),
    ...(gained ? [words.mayNow[action](words.recordCount(gained))] : []),
  ]
}
