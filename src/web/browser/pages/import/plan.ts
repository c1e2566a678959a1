import { useQuery } from '@tanstack/react-query'
import { canBeChosenAsName, namingColumn } from '../../../../tables/column-types/descriptors'
import { toApiError } from '../../api/api-error'
import { send } from '../../api/client'
import type { CellOptions } from './cell-options'
import { fileKey } from './use-csv-sample'

/** The table that the service would create from a file (docs/csv.md). */
export type PlannedColumn = {
  header: string
  name: string | null
  type: string
  options: Record<string, unknown>
  /** The type that all but a few cells have. The first exception is in `line`. */
  nearly?: { type: string; options: Record<string, unknown>; cells: number; misfits: number; line: number; value: string }
}
/** The new table according to a plan, or with the types of the whole file. */
export type FoundTable = { primaryKey: string; columns: readonly PlannedColumn[] }
export type ImportPlan = { name: string; primaryKey: string; columns: PlannedColumn[]; records: string[][] }

/** The user's change of a column; null skips it. */
export type ColumnOverride = { name?: string; type?: string; options?: Record<string, unknown> } | null

/** By column position. */
export type ColumnOverrides = ReadonlyMap<number, ColumnOverride>

/** The new table as edited by the user. */
export type TableDraft = {
  name: string
  overrides: ColumnOverrides
  links?: CellOptions['links']
  /** The position of the column that names the records, as long as that column is eligible. */
  naming?: string
}

export const hasLinks = ({ overrides }: TableDraft): boolean => [...overrides.values()].some((override) => override?.type === 'link')

/** Enough records for the detection of types. */
const maxSampleBytes = 1_000_000

export const useImportPlan = (file: File, parameters: Record<string, string>) =>
  useQuery({
    queryKey: ['plan', fileKey(file), parameters],
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
    queryFn: async (): Promise<ImportPlan> => {
      const query = new URLSearchParams({ ...parameters, dryRun: 'true', name: tableNameOf(file) })
      const response = await send(`/api/v1/tables/import?${query}`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        // The parts of a workbook are in no fixed order, so the whole file is sent.
        body: parameters.sheet === undefined ? await sampleOf(file, parameters.encoding) : file,
      })
      if (!response.ok) throw await toApiError(response)
      return response.json()
    },
  })

const tableNameOf = ({ name }: File) => name.replace(/\.[^.]*$/, '') || 'table'

/** Cuts the file at the end of a line, so that the last record is complete; in UTF-16, between pairs of bytes. */
async function sampleOf(file: File, encoding = ''): Promise<Blob> {
  if (file.size <= maxSampleBytes) return file
  const bytes = new Uint8Array(await file.slice(0, maxSampleBytes).arrayBuffer())
  const end = bytes.lastIndexOf(10) + 1 || maxSampleBytes
  return file.slice(0, encoding.startsWith('utf-16') ? end - (end % 2) : end)
}

/** Only the changes: the service does not widen a type that is set explicitly. */
export function toColumnsParameter({ columns }: ImportPlan, overrides: ColumnOverrides): string {
  const changes = [...overrides].flatMap(([index, override]): [string, unknown][] => {
    const { header, name } = columns[index]!
    const key = name !== null && columns.filter((column) => column.header === header).length > 1 ? name : header
    if (override === null) return [[key, null]]
    // JSON omits undefined members.
    const changed = { ...override, name: override.name === name ? undefined : override.name || undefined }
    return Object.values(changed).some((value) => value !== undefined) ? [[key, changed]] : []
  })
  // A header may be `__proto__`.
  return JSON.stringify(Object.fromEntries(changes))
}

/** The columns of the new table that can name its records, by position, and the one that does. */
export function namingColumns({ primaryKey, columns: found }: FoundTable, { overrides, naming }: TableDraft) {
  const columns = found.flatMap((column, index) => {
    const override = overrides.get(index)
    // Options do not prevent a stored column from naming records.
    const named = { id: String(index), name: (override?.name || column.name) ?? '', type: override?.type ?? column.type, options: {} }
    return override !== null && canBeChosenAsName(named) ? [named] : []
  })
  if (!columns.some(({ name }) => name === primaryKey)) columns.push({ id: '', name: primaryKey, type: 'bigint', options: {} })
  return { columns, chosen: namingColumn(columns, [primaryKey], naming)! }
}
