import { Button, Checkbox, NativeSelect } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { toErrorMessage } from '../../../api/api-error'
import { tableUrl } from '../../../api/urls'
import { Dialog } from '../../../components/dialog'
import { saveFile } from '../../../components/save-file'
import { useStrings } from '../../../language'
import { fetchPage } from '../../../records/list/first-page'
import { quoteName } from '../../../records/values/record-key'
import { decimalMark } from '../../../values/decimal'
import { formatBytes } from '../../../values/format'
import { localTimeZone } from '../../../values/timestamps'
import { useGridModel } from '../model/grid-model'
import { type ExportProgress, IncompleteExport, readExport } from './export-run'
import { useVisibleColumns } from './visible-columns'

/** `fileName` is without its extension. */
type ExportedList = { table: TableView; query: URLSearchParams; fileName: string }
type ExportDialogProps = ExportedList & { isOpen: boolean; close: () => void }

export function ExportDialog({ isOpen, close, ...list }: ExportDialogProps) {
  const { transfer } = useStrings()
  return (
    <Dialog title={transfer.exportTitle(list.table.name)} isOpen={isOpen} close={close}>
      <ExportForm {...list} close={close} />
    </Dialog>
  )
}

type State =
  | { state: 'idle' }
  | { state: 'running'; counted: ExportProgress; total: number | undefined }
  | { state: 'failed'; error: unknown }

/** The file type of each export. */
const fileKinds = { workbook: 'xlsx', people: 'csv', programs: 'csv' } as const
type ExportKind = keyof typeof fileKinds
const exportKinds = Object.keys(fileKinds) as ExportKind[]

const delimiterNames = ['comma', 'semicolon', 'tab', 'pipe'] as const

function ExportForm({ close, ...list }: ExportedList & { close: () => void }) {
  const { transfer } = useStrings()
  const [kind, setKind] = useState<ExportKind>('workbook')
  // Spreadsheets of locales with a decimal comma expect semicolons.
  const [delimiter, setDelimiter] = useState<string>(() => (decimalMark() === ',' ? 'semicolon' : 'comma'))
  const [isGuarded, setGuarded] = useState(true)
  const [isMarked, setMarked] = useState(true)
  const columns = useVisibleColumns()
  const { notifier } = useGridModel()
  const { state, start, cancel } = useExport(list, ({ rows, bytes }) => {
    close()
    notifier.show(transfer.exported(rows ?? 0, formatBytes(bytes)))
  })
  const isBusy = state.state === 'running'
  const isCsv = fileKinds[kind] === 'csv'
  const csv = { delimiter, bom: isMarked ? '1' : '0' }
  const options = {
    workbook: viewOptions(columns),
    people: { ...csv, for: 'people', decimals: decimalMark() === ',' ? 'comma' : 'point', ...viewOptions(columns) },
    programs: { ...csv, formulas: isGuarded ? 'escape' : 'keep' },
  }[kind]
  return (
    <div className="form">
      <p className="soft">{transfer.exportText}</p>
      <NativeSelect
        label={transfer.exportFormat}
        description={transfer.exportHelp[kind]}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as ExportKind)}
        data={exportKinds.map((value) => ({ value, label: transfer.exportKinds[value] }))}
      />
      {isCsv && (
        <NativeSelect
          label={transfer.delimiter}
          value={delimiter}
          onChange={(event) => setDelimiter(event.currentTarget.value)}
          data={delimiterNames.map((value) => ({ value, label: transfer.delimiters[value] }))}
        />
      )}
      {kind === 'programs' ? (
        <Checkbox
          label={transfer.escapeFormulas}
          description={transfer.escapeFormulasHelp}
          checked={isGuarded}
          onChange={(event) => setGuarded(event.currentTarget.checked)}
        />
      ) : null}
      {isCsv && <Checkbox label={transfer.byteOrderMark} checked={isMarked} onChange={(event) => setMarked(event.currentTarget.checked)} />}
      <ExportState state={state} />
      {isBusy ? (
        <Button variant="default" className="at-start" onClick={cancel}>
          {transfer.cancel}
        </Button>
      ) : (
        <Button className="submit at-start" onClick={() => void start(fileKinds[kind], options)}>
          {transfer.exportAction}
        </Button>
      )}
    </div>
  )
}

const viewOptions = (columns: readonly string[]): Record<string, string> => ({
  timezone: localTimeZone(),
  // Names are quoted, since some have a special meaning in the query grammar.
  select: columns.map(quoteName).join(','),
})

function ExportState({ state }: { state: State }) {
  const strings = useStrings()
  const { transfer } = strings
  if (state.state === 'failed')
    return (
      <p role="alert" className="alert">
        {state.error instanceof IncompleteExport ? transfer.exportInterrupted : toErrorMessage(state.error, strings)}
      </p>
    )
  const { rows = 0, bytes = 0 } = state.state === 'idle' ? {} : state.counted
  const total = state.state === 'running' && rows !== null ? state.total : undefined
  return (
    <div className="progress" data-shown={state.state !== 'idle'}>
      <progress aria-label={transfer.progress} max={total} value={total === undefined ? undefined : (rows ?? 0)} />
      <p className="facts" role="status">
        {state.state === 'running' ? (rows === null ? formatBytes(bytes) : transfer.exporting(rows, formatBytes(bytes))) : null}
      </p>
    </div>
  )
}

function useExport({ table, query: view, fileName }: ExportedList, onDone: (counted: ExportProgress) => void) {
  const [state, setState] = useState<State>({ state: 'idle' })
  const abort = useRef<AbortController>(null)
  // Closing the dialog cancels the export.
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (extension: 'xlsx' | 'csv', options: Record<string, string>) => {
    abort.current = new AbortController()
    const { signal } = abort.current
    let total: number | undefined
    let counted: ExportProgress = { rows: 0, bytes: 0 }
    const tell = () => setState({ state: 'running', counted, total })
    tell()
    void estimateRows(table, view).then((count) => {
      total = count
    })
    try {
      const query = new URLSearchParams([...view, ...Object.entries(options)])
      // The page sorts an unsorted list by key, but an unsorted export has no order.
      const key = table.primaryKey.filter((name) => table.can.columns.read.includes(name))
      if (!query.has('order') && key.length > 0) query.set('order', key.map(quoteName).join(','))
      const { file, ...whole } = await readExport(`${tableUrl(table.id)}/export.${extension}?${query}`, signal, (now) => {
        counted = now
        tell()
      })
      saveFile(file, `${fileName}.${extension}`)
      onDone(whole)
    } catch (error) {
      setState(signal.aborted ? { state: 'idle' } : { state: 'failed', error })
    }
  }
  return { state, start, cancel: () => abort.current?.abort() }
}

/** The estimated number of rows, for the progress bar only. */
async function estimateRows(table: TableView, view: URLSearchParams): Promise<number | undefined> {
  const page = await fetchPage(table.id, [String(view), 'limit=1', 'count=estimated']).catch(() => null)
  return page?.totalCount || undefined
}
