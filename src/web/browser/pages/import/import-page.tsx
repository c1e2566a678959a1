import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TableView } from '../../../../tables/model'
import { queryClient } from '../../api/queries'
import { tableAddress } from '../../api/urls'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { tableQuery } from '../grid/data/table-queries'
import { type Assignment, guessAssignment, MappingList, mappingParameters } from './column-mapping'
import type { Beginning } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters } from './file-options'
import { ChooseFile } from './file-picker'
import { RunState } from './import-status'
import { Preview } from './preview'
import { keyOf, useBeginning } from './use-csv-sample'
import { useRun } from './use-import'

/** Brings the records of a CSV file into a table that is there: look, assign, try without consequences, import. */
export function ImportIntoPage() {
  const { transfer } = useStrings()
  const { tableId } = useParams({ from: '/app/tables/$tableId/import' })
  const query = useQuery(tableQuery(tableId))
  const [file, setFile] = useState<File | null>(null)
  const back = (
    <Button component={Link} to="/tables/$tableId" params={{ tableId } as never} variant="default">
      {transfer.backToTable}
    </Button>
  )
  return (
    <Page title={query.data ? transfer.into(query.data.name) : transfer.importAction} actions={back} isNarrow>
      <ChooseFile file={file} choose={setFile} />
      <Await query={query}>{(table) => (file ? <WithFile key={keyOf(file)} table={table} file={file} /> : null)}</Await>
    </Page>
  )
}

function WithFile({ table, file }: { table: TableView; file: File }) {
  const { transfer } = useStrings()
  const [options, setOptions] = useState<FileOptions>({ hasHeader: true })
  const query = useBeginning(file, options)
  return (
    <Await query={query} lines={8}>
      {(found) => {
        const [first = []] = found.rows
        const headers = options.hasHeader ? first : first.map(() => '')
        return (
          <>
            <Panel title={transfer.preview} text={transfer.previewText}>
              <FileOptionControls found={found} options={options} change={setOptions} />
              <Preview headers={headers} records={options.hasHeader ? found.rows.slice(1) : found.rows} />
            </Panel>
            <Assigned
              key={JSON.stringify([headers, options])}
              table={table}
              file={file}
              found={found}
              headers={headers}
              parameters={fileParameters(found, options)}
            />
          </>
        )
      }}
    </Await>
  )
}

type AssignedProps = { table: TableView; file: File; found: Beginning; headers: string[]; parameters: Record<string, string> }

function Assigned({ table, file, found, headers, parameters }: AssignedProps) {
  const { transfer } = useStrings()
  const [assignment, setAssignment] = useState<Assignment>(() => guessAssignment(table, headers))
  const [key, setKey] = useState<string | null>(null)
  const { run, start, cancel, reset } = useRun()
  const go = async (isTrial: boolean) => {
    const mode = key === null ? {} : { mode: 'upsert', ...(key === '' ? {} : { on: key }) }
    const query = { ...parameters, ...mode, ...mappingParameters(headers, assignment), ...(isTrial ? { dryRun: 'true' } : {}) }
    await start(`${tableAddress(table.id)}/import?${new URLSearchParams(query as Record<string, string>)}`, () => file, isTrial)
    if (!isTrial) await queryClient.invalidateQueries({ queryKey: ['records', table.id] })
  }
  const isBusy = run.state === 'running'
  const unique = table.columns.filter((column) => column.unique && !table.primaryKey.includes(column.name))
  return (
    <Panel title={transfer.columns} text={transfer.mappingText}>
      <MappingList
        table={table}
        headers={headers}
        assignment={assignment}
        change={(changed) => {
          reset()
          setAssignment(changed)
        }}
      />
      <NativeSelect
        label={transfer.mode}
        value={key === null ? '-' : key}
        onChange={({ currentTarget: { value } }) => {
          reset()
          setKey(value === '-' ? null : value)
        }}
        data={[
          { value: '-', label: transfer.insertAll },
          ...(table.primaryKey.length ? [{ value: '', label: transfer.upsertBy(table.primaryKey.join(', ')) }] : []),
          ...unique.map(({ name }) => ({ value: name, label: transfer.upsertBy(name) })),
        ]}
      />
      <RunState run={run} file={file} encoding={found.encoding} cancel={cancel} />
      <div className="row-actions">
        <Button variant="default" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : void go(true))}>
          {transfer.dryRun}
        </Button>
        <Button className="submit" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : void go(false))}>
          {transfer.importAction}
        </Button>
      </div>
    </Panel>
  )
}
