import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, tablesQuery } from '../../api/queries'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import type { CsvSample } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters } from './file-options'
import { FilePicker } from './file-picker'
import { ImportStatus } from './import-status'
import { type ColumnOverrides, type ImportPlan, toColumnsParameter, useImportPlan } from './plan'
import { PlanForm } from './plan-form'
import { CsvPreview } from './preview'
import { fileKey, useCsvSample } from './use-csv-sample'
import { useImport } from './use-import'

/** Creates a table from a CSV file: shows the detected columns for editing, then imports all records or none. */
export function ImportNewTablePage() {
  const { transfer } = useStrings()
  const [file, setFile] = useState<File | null>(null)
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
  const query = useCsvSample(file, options)
  return (
    <Await query={query} lines={8}>
      {(found) => (
        <>
          <Panel title={transfer.preview} text={transfer.previewText}>
            <FileOptionControls found={found} options={options} change={setOptions} />
            <CsvPreview headers={headerCells(found, options)} records={options.hasHeader ? found.rows.slice(1) : found.rows} />
          </Panel>
          <LoadPlan file={file} found={found} options={options} />
        </>
      )}
    </Await>
  )
}

const headerCells = ({ rows: [first = []] }: CsvSample, { hasHeader }: FileOptions) => (hasHeader ? first : first.map(() => ''))

type LoadPlanProps = { file: File; found: CsvSample; options: FileOptions }

function LoadPlan({ file, found, options }: LoadPlanProps) {
  const parameters = fileParameters(found, options)
  const query = useImportPlan(file, parameters)
  return (
    <Await query={query} lines={6}>
      {(plan) => (
        <NewTablePlan key={JSON.stringify(parameters)} plan={plan} file={file} encoding={found.encoding} parameters={parameters} />
      )}
    </Await>
  )
}

type NewTablePlanProps = { plan: ImportPlan; file: File; encoding: CsvSample['encoding']; parameters: Record<string, string> }

function NewTablePlan({ plan, file, encoding, parameters }: NewTablePlanProps) {
  const { transfer } = useStrings()
  const navigate = useNavigate()
  const { run, start, cancel } = useImport()
  const submit = async (name: string, overrides: ColumnOverrides) => {
    const form = () => {
      const body = new FormData()
      // Fields go before the file, because the service parses the body as a stream.
      body.append('name', name)
      const columns = toColumnsParameter(plan, overrides)
      if (columns) body.append('columns', JSON.stringify(columns))
      body.append('file', file)
      return body
    }
    const outcome = await start(`/api/v1/tables/import?${new URLSearchParams(parameters)}`, form, false)
    if (!outcome?.table) return
    await queryClient.invalidateQueries(tablesQuery)
    await navigate({ to: '/tables/$tableId', params: { tableId: outcome.table.id } })
  }
  return (
    <Panel title={transfer.columns} text={transfer.columnsText}>
      <PlanForm plan={plan} submit={submit} isBusy={run.state === 'running'} canChange={parameters.header !== 'false'}>
        <ImportStatus run={run} file={file} encoding={encoding} cancel={cancel} />
      </PlanForm>
    </Panel>
  )
}
