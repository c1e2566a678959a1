import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { csvLine } from '../../../../csv/line'
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
import { type ColumnMapping, fillableNames, guessMapping, MappingList, mappingParameters } from './column-mapping'
import type { CsvSample } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters, isNotationOpen, notationOf, sampleNotation, zoneOf } from './file-options'
import { FilePicker } from './file-picker'
import { ImportActions } from './import-actions'
import { ImportStatus } from './import-status'
import { CsvPreview } from './preview'
import { fileKey, useCsvSample } from './use-csv-sample'
import { type ImportTolerance, useImport } from './use-import'

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
                {...{ found, hasHeader: options.hasHeader }}
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
  /** Whether the user still has to choose the notation of dates and numbers. */
  isOpen: boolean
}

function ImportMapping({ table, file, found, headers, parameters, isOpen }: ImportMappingProps) {
  const { transfer } = useStrings()
  const [assignment, setAssignment] = useState<ColumnMapping>(() => guessMapping(table, headers))
  const [key, setKey] = useState<string | null>(null)
  const names = fillableNames(table, key === null ? [] : key === '' ? table.primaryKey : [key])
  const [options, setOptions] = useState<CellOptions>({})
  const {
    run,
    go,
    reset: _,
    forget,
    triedTolerance,
    ...job
  } = useImport({
    file,
    notation: notationOf(parameters),
    request: () => {
      const cells = cellParameters({ table, assignment, found, options })
      const mode = key === null ? {} : { mode: 'upsert', ...(key === '' ? {} : { on: csvLine([key], ',') }) }
      const filled = assignment.map((name) => (names.includes(name) ? name : ''))
      const query = { ...parameters, ...cells, ...mode, ...mappingParameters(headers, filled) }
      return { path: `${tableUrl(table.id)}/import`, query: query as Record<string, string> }
    },
  })
  const start = async (isTrial: boolean, tolerance: ImportTolerance) => {
    await go(isTrial, tolerance)
    if (!isTrial) await invalidateAllRecords()
  }
  // The last result no longer applies, and the corrections are displayed only with a result.
  const anew =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      forget()
      set(value)
    }
  const isBusy = run.state === 'running' || isOpen
  return (
    <Panel title={transfer.columns} text={transfer.mappingText}>
      <MappingList names={names} headers={headers} assignment={assignment} change={anew(setAssignment)} />
      <ModeSelect table={table} value={key} change={anew(setKey)} />
      <CellOptionControls {...{ table, assignment, found, options }} change={anew(setOptions)} />
      <ImportStatus
        {...{ run, table, file }}
        {...job}
        encoding={found.encoding}
        retry={({ isTrial, tolerance }) => void start(isTrial, tolerance)}
      />
      <ImportActions isBusy={isBusy} check={() => void start(true, {})} importNow={() => void start(false, triedTolerance)} />
    </Panel>
  )
}

/** @param value the unique column that identifies records; empty for the key, null if all records are new */
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
