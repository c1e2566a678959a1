import { invalidRequest, type LineProblem } from '../../../errors'
import { translatable } from '../../../messages/message'
import type { ImportJob } from '../import'
import type { SharedImportOptions } from '../options'
import type { SpooledFile } from '../spool'
import { locateFailure, openSheet, peekWorkbook, type SheetOptions, type SheetSource } from './sheet'

/** The file to read. `columnName` returns the name by which problems name a column of the header. */
type FileRequest = {
  source: ImportJob['source']
  options: SharedImportOptions & SheetOptions
  columnName: (header: string, index: number) => string
  /** The number of columns that the caller names. */
  width: number
  maxUploadBytes: number
  signal: AbortSignal
  spool: (source: ImportJob['source']) => Promise<SpooledFile>
}

/** A workbook contains many repetitions: unpacked, it may be this many times as large as an upload. */
const maxUnpacking = 20

/** The input of an import: a CSV file unchanged, or a sheet of a workbook as CSV. */
type ReadSource = Pick<ImportJob, 'source' | 'rowOf' | 'complete'> & {
  formOf?: SheetSource['formOf']
  options: Partial<SharedImportOptions>
}

/**
 * Runs an import of a file of either kind. The parts of a workbook have no fixed order, so it is written to the disk
 * first.
 */
export async function importFrom<Result extends object>(
  { source, options, columnName, width, maxUploadBytes, signal, spool }: FileRequest,
  work: (read: ReadSource) => Promise<Result>,
): Promise<Result> {
  const file = await peekWorkbook(source)
  if (!file.isWorkbook) {
    if (options.sheet !== undefined || options.headerRow !== undefined)
      throw invalidRequest(
        translatable('The parameters "sheet" and "headerRow" work only with a workbook (.xlsx), and this file is not one.'),
      )
    return work({ source: file.source, options: {} })
  }
  const packed = await spool(file.source)
  try {
    const limits = { maxBytes: maxUploadBytes * maxUnpacking, signal }
    const sheet = await openSheet({ size: packed.bytes, read: packed.read }, { ...options, width }, limits)
    const zone = sheet.timezone === undefined ? {} : { timezone: sheet.timezone }
    const locate = (problems: readonly LineProblem[]) => sheet.locate(problems, columnName)
    const complete = <Part extends object>(result: Part): Part => {
      const { problems } = result as { problems?: LineProblem[] }
      return { ...result, sheet: sheet.sheet, ...zone, ...(problems ? { problems: locate(problems) } : {}) }
    }
    return await work({
      source: sheet.source,
      rowOf: sheet.rowOf,
      formOf: sheet.formOf,
      complete,
      options: { delimiter: ',', encoding: 'utf-8', ...zone },
    }).catch((error) => {
      throw locateFailure(error, locate)
    })
  } finally {
    await packed.close()
  }
}
