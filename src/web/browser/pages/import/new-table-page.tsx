import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, tablesQuery } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import { announceImport } from '../../session/finished-import'
import { ApostropheOption, formulaParameters } from './cell-options'
import type { CsvSample } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters, isNotationOpen, sampleNotation, zoneOf } from './file-options'
import { FilePicker } from './file-picker'
import { ImportStatus } from './import-status'
import { type ColumnOverrides, type ImportPlan, toColumnsParameter, useImportPlan } from './plan'
import { PlanForm } from './plan-form'
import { CsvPreview } from './preview'
import { importBody, type TypedCorrection, withCorrection } from './problems/corrections'
import { fileKey, useCsvSample } from './use-csv-sample'
import { type ImportTolerance, useImport } from './use-import'

/** Creates a table from a CSV file: shows the detected columns for editing, then imports all records or none. */
export function ImportNewTablePage() {
  const { transfer } = useStrings()
  const [file, setFile] = useState<File | null>(null)
  if (useUser().role !== 'admin') return <NotFound />
  return (
    <Page title={transfer.newTable} isNarrow>
      <FilePicker file={file} choose={setFile} />
      {file ? <NewTableFile key={fileKey(file)} file={file} /> : null}
    </Page>
  )
}

function NewTableFile({ file }: { file: File }) {
  const { transfer } = useStrings()
  const [options, setOptions] = useState<FileOptions>({ hasHeader: true })
  const [formulas, setFormulas] = useState({})
  const query = useCsvSample(file, options)
  return (
    <Await query={query} lines={8}>
      {(found) => {
        const notation = sampleNotation(found, options)
        return (
          <>
            <Panel title={transfer.preview} text={found.workbook ? transfer.sheetText : transfer.previewText}>
              <FileOptionControls found={found} notation={notation} options={options} change={setOptions} />
              <ApostropheOption found={found} options={formulas} change={setFormulas} />
              <CsvPreview
                headers={headerCells(found, options)}
                records={options.hasHeader ? found.rows.slice(1) : found.rows}
                timezone={zoneOf(found, options)}
                dates={options.dates ?? notation.dates}
              />
            </Panel>
            <LoadPlan
              file={file}
              found={found}
              parameters={{ ...fileParameters(found, notation, options), ...formulaParameters(found, formulas) }}
              isOpen={isNotationOpen(notation, options)}
            />
          </>
        )
      }}
    </Await>
  )
}

const headerCells = ({ rows: [first = []] }: CsvSample, { hasHeader }: FileOptions) => (hasHeader ? first : first.map(() => ''))

type LoadPlanProps = { file: File; found: CsvSample; parameters: Record<string, string>; isOpen: boolean }

function LoadPlan({ file, found, parameters, isOpen }: LoadPlanProps) {
  const { dates: _, decimals: __, timezone: ___, ...form } = parameters
  const query = useImportPlan(file, parameters)
  return (
    <Await query={query} lines={6}>
      {(plan) => (
        <NewTablePlan
          key={JSON.stringify(form)}
          plan={plan}
          file={file}
          encoding={found.encoding}
          parameters={parameters}
          isOpen={isOpen}
        />
      )}
    </Await>
  )
}

type NewTablePlanProps = {
  plan: ImportPlan
  file: File
  encoding: CsvSample['encoding']
  parameters: Record<string, string>
  isOpen: boolean
}

function NewTablePlan({ plan, file, encoding, parameters, isOpen }: NewTablePlanProps) {
  const { transfer, grid } = useStrings()
  const navigate = useNavigate()
  const { run, start, cancel, reset } = useImport()
  const [corrections, setCorrections] = useState<TypedCorrection[]>([])
  const [asked, setAsked] = useState<{ name: string; overrides: ColumnOverrides } | null>(null)
  const submit = async (name: string, overrides: ColumnOverrides, tolerance: ImportTolerance) => {
    setAsked({ name, overrides })
    const columns = toColumnsParameter(plan, overrides)
    const form = () => importBody(file, corrections, { name, ...(columns ? { columns: JSON.stringify(columns) } : {}) })
    const outcome = await start('/api/v1/tables/import', parameters, form, { isTrial: false, tolerance, corrections })
    if (!outcome?.table) return
    const { inserted, emptied, skipped, requestId } = outcome
    const left = [emptied ? transfer.emptied(emptied) : '', skipped ? transfer.skippedLines(skipped) : '']
    announceImport({ tableId: outcome.table.id, text: [grid.recordsCreated(inserted), ...left].filter(Boolean).join(' '), requestId })
    await queryClient.invalidateQueries(tablesQuery)
    await navigate({ to: '/tables/$tableId', params: { tableId: outcome.table.id } })
  }
  return (
    <Panel title={transfer.columns} text={transfer.columnsText}>
      <PlanForm
        plan={plan}
        submit={(name, overrides) => submit(name, overrides, {})}
        isBusy={run.state === 'running' || isOpen}
        canChange={parameters.header !== 'false'}
        onNamesChange={() => {
          // Problems and corrections name the columns.
          reset()
          setCorrections([])
        }}
      >
        <ImportStatus
          run={run}
          file={file}
          encoding={encoding}
          corrections={corrections}
          correct={(typed) => setCorrections(withCorrection(corrections, typed))}
          cancel={cancel}
          retry={({ tolerance }) => asked && void submit(asked.name, asked.overrides, tolerance)}
        />
      </PlanForm>
    </Panel>
  )
}
