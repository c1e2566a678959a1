import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, tablesQuery } from '../../api/queries'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import type { Beginning } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters } from './file-options'
import { ChooseFile } from './file-picker'
import { RunState } from './import-status'
import { columnsOf, type Plan, usePlan, type Wishes } from './plan'
import { PlanForm } from './plan-form'
import { Preview } from './preview'
import { keyOf, useBeginning } from './use-csv-sample'
import { useRun } from './use-import'

/** Makes a table from a CSV file: what was found in it is shown and can be changed, and then all of it is imported or nothing. */
export function NewTablePage() {
  const { transfer } = useStrings()
  const [file, setFile] = useState<File | null>(null)
  return (
    <Page title={transfer.newTable} isNarrow>
      <ChooseFile file={file} choose={setFile} />
      {file ? <WithFile key={keyOf(file)} file={file} /> : null}
    </Page>
  )
}

function WithFile({ file }: { file: File }) {
  const { transfer } = useStrings()
  const [options, setOptions] = useState<FileOptions>({ hasHeader: true })
  const query = useBeginning(file, options)
  return (
    <Await query={query} lines={8}>
      {(found) => (
        <>
          <Panel title={transfer.preview} text={transfer.previewText}>
            <FileOptionControls found={found} options={options} change={setOptions} />
            <Preview headers={headersOf(found, options)} records={options.hasHeader ? found.rows.slice(1) : found.rows} />
          </Panel>
          <WithPlan file={file} found={found} options={options} />
        </>
      )}
    </Await>
  )
}

const headersOf = ({ rows: [first = []] }: Beginning, { hasHeader }: FileOptions) => (hasHeader ? first : first.map(() => ''))

type WithPlanProps = { file: File; found: Beginning; options: FileOptions }

function WithPlan({ file, found, options }: WithPlanProps) {
  const parameters = fileParameters(found, options)
  const query = usePlan(file, parameters)
  return (
    <Await query={query} lines={6}>
      {(plan) => <Planned key={JSON.stringify(parameters)} plan={plan} file={file} encoding={found.encoding} parameters={parameters} />}
    </Await>
  )
}

type PlannedProps = { plan: Plan; file: File; encoding: Beginning['encoding']; parameters: Record<string, string> }

function Planned({ plan, file, encoding, parameters }: PlannedProps) {
  const { transfer } = useStrings()
  const navigate = useNavigate()
  const { run, start, cancel } = useRun()
  const submit = async (name: string, wishes: Wishes) => {
    const form = () => {
      const body = new FormData()
      // Fields come before the file: it is read as it arrives.
      body.append('name', name)
      const columns = columnsOf(plan, wishes)
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
        <RunState run={run} file={file} encoding={encoding} cancel={cancel} />
      </PlanForm>
    </Panel>
  )
}
