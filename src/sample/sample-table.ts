import type { NewTable } from '../tables/model'

/**
 * A table of the sample with its records; links are the numbers of records, counted from 1 in the order of this file.
 */
export type SampleTable = {
  table: NewTable
  records: Record<string, unknown>[]
  /** Chooses a file of `pictures/` for a file column, by the record's position from 0. */
  pictures?: { column: string; nameOf: (index: number) => string }
}
