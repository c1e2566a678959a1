import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { AccessImpact } from '../../../../access/model'
import type { TableView } from '../../../../tables/model'
import { accessChangesQuery, accessQuery, type FetchedAccess, saveRules, tryRules } from '../../api/access-document'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { queryClient, tablesQuery } from '../../api/queries'
import { Icon } from '../../components/icon'
import { LazyMenu } from '../../components/lazy-menu'
import { Panel } from '../../components/panel'
import { useStrings } from '../../language'
import { LeaveGuard } from '../../layout/leave-guard'
import { ImpactDialog } from './impact-dialog'
import { LineDrawer, type MatrixPosition } from './line-drawer'
import { isLineFor, type Line, orphansOf, roleGroups, toRuleLines, toRules, withProblems } from './lines'
import { AccessMatrix, MatrixText } from './matrix'
import { OrphanList } from './orphans'
import { type Start, StartDialog, StartMenuItems, StartOffers } from './starts'
import { ViewNotices } from './view-notices'
import { LookButton } from './view-panel'

/** `first` is the id of the table at which the matrix opens and which new rules propose. */
type RuleSetProps = { document: FetchedAccess; tables: readonly TableView[]; groups: readonly string[]; first: string | undefined }

/** The edited lines and their original document. */
type Draft = { lines: readonly Line[]; base: readonly Line[]; etag: string }

const changeCount = ({ lines, base }: Draft): number =>
  lines.filter((line) => !base.includes(line)).length + base.filter(({ id }) => !lines.some((line) => line.id === id)).length

/** The edited lines, and the cell that is open. */
function useDraft(document: FetchedAccess, tables: readonly TableView[]) {
  const stored = useMemo(() => toRuleLines(document, tables), [document, tables])
  const [edited, setDraft] = useState<Draft | null>(null)
  const draft = edited ?? { lines: stored, base: stored, etag: document.etag }
  const [cell, setCell] = useState<MatrixPosition | null>(null)
  const [isOpen, setOpen] = useState(false)
  const open = (chosen: MatrixPosition) => {
    // An open cell keeps this version: saving it over a document fetched in the meantime must fail.
    setDraft(draft)
    setCell(chosen)
    setOpen(true)
  }
  const close = () => {
    setDraft((before) => (before && changeCount(before) > 0 ? before : null))
    setOpen(false)
  }
  return { draft, count: changeCount(draft), setDraft, cell, isOpen, open, close }
}

/** The rules as a matrix. Edits are saved together, after their effect has been shown. */
export function RuleSet({ document, tables, groups: named, first }: RuleSetProps) {
  const strings = useStrings()
  const { access } = strings
  const groups = [...roleGroups, ...named]
  const { draft, count, setDraft, cell, isOpen, open, close } = useDraft(document, tables)
  const { lines, base, etag } = draft
  const [start, setStart] = useState<Start | null>(null)
  const [impact, setImpact] = useState<AccessImpact | null>(null)
  const [failure, setFailure] = useState('')
  const [isSaved, setSaved] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const edit = (next: readonly Line[]) => {
    setFailure('')
    setSaved(false)
    setDraft({ lines: next, base, etag })
  }
  const setCellLines = ({ group, table }: MatrixPosition, its: readonly Line[]) => {
    const isOfCell = isLineFor(group, table)
    const kept = lines.flatMap((line) => (isOfCell(line) ? its.filter(({ id }) => id === line.id) : [line]))
    edit([...kept, ...its.filter(({ id }) => !lines.some((line) => line.id === id))])
  }
  const check = async () => {
    if (isChecking || count === 0) return
    setChecking(true)
    setFailure('')
    try {
      setImpact(await tryRules(toRules(lines)))
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 422
      const marked = isRefused ? withProblems(lines, error) : lines
      const wrong = marked.filter(({ problems }) => Object.keys(problems).length > 0).length
      // An edited line is one that `base` does not contain. Marking copies all lines, so unedited ones are put back.
      setDraft({ lines: marked.map((line, index) => (base.includes(lines[index]!) && isRight(line) ? lines[index]! : line)), base, etag })
      setFailure(isRefused && wrong > 0 ? access.wrongLines(wrong) : toErrorMessage(error, strings))
    } finally {
      setChecking(false)
    }
  }
  const save = async () => {
    const saved = await saveRules(toRules(lines), etag)
    queryClient.setQueryData(accessQuery.queryKey, saved)
    setDraft(null)
    setImpact(null)
    setFailure('')
    setSaved(true)
    void queryClient.invalidateQueries(accessChangesQuery)
    void queryClient.invalidateQueries(tablesQuery)
  }
  const loadAnew = async () => {
    await queryClient.refetchQueries({ ...accessQuery, exact: true })
    setDraft(null)
    setImpact(null)
    setFailure('')
  }
  const orphans = orphansOf(lines, groups, tables)
  return (
    <>
      <Panel title={access.title} text={access.text}>
        {tables.length === 0 ? <p className="notice">{access.noTables}</p> : null}
        {lines.length === 0 && tables.length > 0 ? (
          <section className="stack" aria-label={access.startsTitle}>
            <h3>{access.startsTitle}</h3>
            <p className="soft">{access.startsText}</p>
            <StartOffers choose={setStart} />
          </section>
        ) : null}
      </Panel>
      <Panel
        title={access.matrix}
        text={<MatrixText />}
        action={
          lines.length > 0 ? (
            <LazyMenu
              button={
                <Button variant="default" leftSection={<Icon name="plus" size={16} />}>
                  {access.addRule}
                </Button>
              }
            >
              <StartMenuItems choose={setStart} />
            </LazyMenu>
          ) : undefined
        }
      >
        {count === 0 ? <ViewNotices notices={document.notices} /> : null}
        <AccessMatrix key={first} first={first} groups={groups} tables={tables} lines={lines} open={open} />
        {orphans.length > 0 ? (
          <OrphanList orphans={orphans} tables={tables} remove={(gone) => edit(lines.filter((line) => line !== gone))} />
        ) : null}
        <p role="alert" className="alert">
          {failure}
        </p>
        <SaveBar count={count} isSaved={isSaved} isChecking={isChecking} check={check} discard={() => setDraft(null)} />
      </Panel>
      {cell ? (
        <LineDrawer
          cell={cell}
          lines={lines.filter(isLineFor(cell.group, cell.table))}
          all={lines}
          tables={tables}
          isOpen={isOpen}
          change={(its) => setCellLines(cell, its)}
          close={close}
        />
      ) : null}
      <StartDialog start={start} groups={groups} tables={tables} first={first} lines={lines} change={edit} close={() => setStart(null)} />
      <ImpactDialog impact={impact} close={() => setImpact(null)} save={save} loadAnew={() => void loadAnew()} />
      <LeaveGuard isDirty={() => count > 0} />
    </>
  )
}

type SaveBarProps = { count: number; isSaved: boolean; isChecking: boolean; check: () => Promise<void>; discard: () => void }

/** The buttons for unsaved rules; after a save, its confirmation replaces them. */
function SaveBar({ count, isSaved, isChecking, check, discard }: SaveBarProps) {
  const { access } = useStrings()
  const isConfirmed = isSaved && count === 0
  return (
    <>
      {count > 0 ? (
        <div className="save-bar">
          <span className="soft save-state" role="status">
            {access.unsaved(count)}
          </span>
          <Button variant="subtle" color="gray" onClick={discard}>
            {access.discard}
          </Button>
          <Button className="submit" aria-busy={isChecking} onClick={() => void check()}>
            {isChecking ? access.reviewing : access.review}
          </Button>
        </div>
      ) : null}
      <div role="status" className={isConfirmed ? 'save-bar' : undefined}>
        {isConfirmed ? (
          <>
            <span className="save-state">{access.saved}</span>
            <LookButton />
          </>
        ) : null}
      </div>
    </>
  )
}

const isRight = ({ problems }: Line) => Object.keys(problems).length === 0
