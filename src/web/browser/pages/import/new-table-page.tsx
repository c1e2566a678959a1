import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, tablesQuery } from '../../api/queries'
import { useUser } from '../../api/use-user'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'
import type { TypeName } from '../../records/values/column-kinds'
import { announceImport } from '../../session/finished-import'
import type { Strings } from '../../strings/en'
import { ApostropheOption, formulaParameters } from './cell-options'
import type { CsvSample } from './csv-sample'
import { FileOptionControls, type FileOptions, fileParameters, isNotationOpen, notationOf, sampleNotation, zoneOf } from './file-options'
import { FilePicker } from './file-picker'
import { ImportActions } from './import-actions'
import { ImportStatus, importNotes } from './import-status'
import { hasLinks, type ImportPlan, namingColumns, type PlannedColumn, type TableDraft, toColumnsParameter, useImportPlan } from './plan'
import { PlanForm } from './plan-form'
import { CsvPreview } from './preview'
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
                {...{ found, hasHeader: options.hasHeader }}
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
          isStale={query.isPlaceholderData}
          file={file}
          encoding={found.encoding}
          parameters={parameters}
          isOpen={isOpen}
        />
      )}
    </Await>
  )
}

/** The maximum number of sentences in a notice about columns. */
const maxSentences = 3

type NewTablePlanProps = {
  plan: ImportPlan
  /** Whether the plan was made for other parameters. */
  isStale: boolean
  file: File
  encoding: CsvSample['encoding']
  parameters: Record<string, string>
  isOpen: boolean
}

/** Sentences about columns whose type differs from the plan, which was made from the first records. */
function changedTypes(
  columns: readonly PlannedColumn[],
  plan: ImportPlan,
  { transfer, documents, columns: { types } }: Pick<Strings, 'transfer' | 'documents' | 'columns'>,
): string[] {
  const changed = columns.flatMap(({ header, name, type, nearly }, index) =>
    nearly && type !== plan.columns[index]!.type
      ? `${header || name}: ${transfer.nearly(types[type as TypeName], types[nearly.type as TypeName], nearly)}`
      : [],
  )
  const more = changed.splice(maxSentences).length
  return more ? [...changed, documents.andMore(more)] : changed
}

function NewTablePlan({ plan, isStale, file, encoding, parameters, isOpen }: NewTablePlanProps) {
  const words = useStrings()
  const { transfer, grid } = words
  const navigate = useNavigate()
  const [draft, setDraft] = useState<TableDraft>({ name: plan.name, overrides: new Map() })
  const { run, latest, go, reset, forget, triedTolerance, ...job } = useImport({
    file,
    notation: isStale ? null : notationOf(parameters),
    request: (isTrial) => {
      const { chosen } = namingColumns(found, draft)
      return {
        path: '/api/v1/tables/import',
        query: {
          ...parameters,
          ...(isTrial ? { dryRun: 'whole' } : {}),
          ...(draft.links && hasLinks(draft) ? { links: draft.links } : {}),
        },
        fields: {
          name: draft.name,
          columns: toColumnsParameter(plan, draft.overrides),
          // Not sent if the key is only the default: the service, which knows the types, may choose another column.
          ...(chosen.name === found.primaryKey && chosen.id !== draft.naming ? {} : { displayColumn: chosen.name }),
        },
      }
    },
  })
  const { primaryKey, columns } = plan
  const found = { primaryKey, columns, ...latest }
  const isBusy = run.state === 'running' || isOpen || isStale
  const start = async (isTrial: boolean, tolerance: ImportTolerance) => {
    if (isBusy) return
    const outcome = await go(isTrial, tolerance)
    if (!outcome?.table) return
    const { inserted, requestId, table, columns = [] } = outcome
    const notes = [...importNotes(outcome, transfer), ...changedTypes(columns, plan, words)]
    announceImport({ tableId: table.id, text: [grid.recordsCreated(inserted), ...notes].join(' '), requestId })
    await queryClient.invalidateQueries(tablesQuery)
    await navigate({ to: '/tables/$tableId', params: { tableId: table.id } })
  }
  const change = (changed: TableDraft, isRenamed: boolean) => {
    setDraft(changed)
    // Problems and corrections refer to columns by name, so the results of earlier checks no longer apply.
    if (isRenamed) forget()
    else reset()
  }
  return (
    <Panel title={transfer.columns} text={transfer.columnsText}>
      <PlanForm
        plan={plan}
        found={found}
        draft={draft}
        change={change}
        submit={() => void start(false, triedTolerance)}
        canChange={parameters.header !== 'false'}
      >
        <ImportStatus {...{ run, file, encoding }} {...job} retry={({ isTrial, tolerance }) => void start(isTrial, tolerance)} />
        <ImportActions isBusy={isBusy} check={() => void start(true, {})} />
      </PlanForm>
    </Panel>
  )
}
