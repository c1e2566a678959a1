import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { tableUrl } from '../../api/urls'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import { invalidateAllRecords } from '../../records/list/change-queries'
import { tableQuery } from '../../records/list/table-queries'
import { CellOptionControls, type CellOptions, cellParameters } from './cell-options'
import { type ColumnMapping, guessMapping, MappingList, mappingParameters } from './column-mapping'
import type { CsvSample } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters, isNotationOpen, sampleNotation, zoneOf } from './file-options'
import { FilePicker } from './file-picker'
import { ImportStatus } from './import-status'
import { CsvPreview } from './preview'
import { importBody, type TypedCorrection, withCorrection } from './problems/corrections'
import { fileKey, useCsvSample } from './use-csv-sample'
import { type ImportRun, type ImportTolerance, useImport } from './use-import'

/** Imports a CSV file into an existing table: preview, mapping, dry run, import. */
export function ImportIntoPage() {
  const { transfer } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId/import' })
  const query = useQuery(tableQuery(tableId))
  const [file, setFile] = useState<File | null>(null)
  if (query.data && !query.data.can.create) return <NotFound />
  const back = (
    <Button component={Link} to="/tables/$tableId" params={{ tableId } as never} variant="default">
      {transfer.backToTable}
    </Button>
  )
  return (
    <Page title={query.data ? transfer.into(query.data.name) : transfer.importAction} actions={back} isNarrow>
      <FilePicker file={file} choose={setFile} />
      <Await query={query}>{(table) => (file ? <ImportFile key={fileKey(file)} table={table} file={file} /> : null)}</Await>
    </Page>
  )
}

function ImportFile({ table, file }: { table: TableView; file: File }) {
  const { transfer } = useStrings()
  const [options, setOptions] = useState<FileOptions>({ hasHeader: true })
  const query = useCsvSample(file, options)
  return (
    <Await query={query} lines={8}>
      {(found) => {
        const [first = []] = found.rows
        const headers = options.hasHeader ? first : first.map(() => '')
        const notation = sampleNotation(found, options)
        const { delimiter, encoding } = found
        return (
          <>
            <Panel title={transfer.preview} text={found.workbook ? transfer.sheetText : transfer.previewText}>
              <FileOptionControls found={found} notation={notation} options={options} change={setOptions} />
              <CsvPreview
                headers={headers}
                records={options.hasHeader ? found.rows.slice(1) : found.rows}
                timezone={zoneOf(found, options)}
                dates={options.dates ?? notation.dates}
              />
            </Panel>
            <ImportMapping
              key={JSON.stringify([headers, delimiter, encoding, found.workbook, options.hasHeader])}
              table={table}
              file={file}
              found={found}
              headers={headers}
              parameters={fileParameters(found, notation, options)}
              isOpen={isNotationOpen(notation, options)}
            />
          </>
        )
      }}
    </Await>
  )
}

type ImportMappingProps = {
  table: TableView
  file: File
  found: CsvSample
  headers: string[]
  parameters: Record<string, string>
  /** The user has to say first how the file writes dates and numbers. */
  isOpen: boolean
}

function ImportMapping({ table, file, found, headers, parameters, isOpen }: ImportMappingProps) {
  const { transfer } = useStrings()
  const [assignment, setAssignment] = useState<ColumnMapping>(() => guessMapping(table, headers))
  const [key, setKey] = useState<string | null>(null)
  const [options, setOptions] = useState<CellOptions>({})
  const [corrections, setCorrections] = useState<TypedCorrection[]>([])
  const { run, start, cancel, reset } = useImport()
  const go = async (isTrial: boolean, tolerance: ImportTolerance, more: Partial<ImportRun> = {}) => {
    const started = { isTrial, tolerance, corrections, ...more }
    const mode = key === null ? {} : { mode: 'upsert', ...(key === '' ? {} : { on: key }) }
    const cells = cellParameters({ table, assignment, found, options })
    const query = { ...parameters, ...cells, ...mode, ...mappingParameters(headers, assignment) } as Record<string, string>
    await start(`${tableUrl(table.id)}/import`, query, () => importBody(file, started.corrections), started)
    if (!isTrial) await invalidateAllRecords()
  }
  /** Checks the file again with the correction. */
  const correct = (typed: TypedCorrection) => {
    const changed = withCorrection(corrections, typed)
    setCorrections(changed)
    const tolerance = run.state === 'done' || run.state === 'failed' ? run.tolerance : {}
    void go(true, tolerance, { corrections: changed, isRecheck: true })
  }
  /** The last result is about other options, and without it nobody sees the corrections. */
  const forget = () => {
    reset()
    setCorrections([])
  }
  const anew =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      forget()
      set(value)
    }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other options of the file
  useEffect(forget, [JSON.stringify(parameters)])
  const isBusy = run.state === 'running' || isOpen
  // An import has the same tolerance as its trial.
  const tolerance = run.state === 'done' && run.isTrial ? run.tolerance : {}
  return (
    <Panel title={transfer.columns} text={transfer.mappingText}>
      <MappingList table={table} headers={headers} assignment={assignment} change={anew(setAssignment)} />
      <ModeSelect table={table} value={key} change={anew(setKey)} />
      <CellOptionControls {...{ table, assignment, found, options }} change={anew(setOptions)} />
      <ImportStatus
        run={run}
        table={table}
        file={file}
        encoding={found.encoding}
        corrections={corrections}
        correct={correct}
        cancel={cancel}
        retry={({ isTrial, tolerance: more }) => void go(isTrial, more)}
      />
      <div className="row-actions">
        <Button variant="default" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : void go(true, {}))}>
          {transfer.dryRun}
        </Button>
        <Button className="submit" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : void go(false, tolerance))}>
          {transfer.importAction}
        </Button>
      </div>
    </Panel>
  )
}

/** @param value the unique column by which records are found; empty for the key, null if all records are new */
function ModeSelect({ table, value, change }: { table: TableView; value: string | null; change: (value: string | null) => void }) {
  const { transfer } = useStrings()
  const unique = table.columns.filter((column) => column.unique && !table.primaryKey.includes(column.name))
  return (
    <NativeSelect
      label={transfer.mode}
      value={value ?? '-'}
      onChange={({ currentTarget }) => change(currentTarget.value === '-' ? null : currentTarget.value)}
      data={[
        { value: '-', label: transfer.insertAll },
        ...(table.primaryKey.length && table.can.update ? [{ value: '', label: transfer.upsertBy(table.primaryKey.join(', ')) }] : []),
        ...(table.can.update ? unique : []).map(({ name }) => ({ value: name, label: transfer.upsertBy(name) })),
      ]}
    />
  )
}
