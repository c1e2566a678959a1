import { useQuery } from '@tanstack/react-query'
import { refusalOf } from '../../api/api-error'
import { send } from '../../api/client'
import { keyOf } from './use-csv-sample'

/** What the service would make of a file (docs/csv.md). */
export type PlannedColumn = { header: string; name: string | null; type: string; options: Record<string, unknown> }
export type Plan = { name: string; primaryKey: string; columns: PlannedColumn[] }

/** What the user wants instead, by the place of the column; null leaves it out. */
export type Wishes = Map<number, { name?: string; type?: string } | null>

/** Enough for the records by which types are guessed. */
const mostBytes = 1_000_000

export const usePlan = (file: File, parameters: Record<string, string>) =>
  useQuery({
    queryKey: ['plan', keyOf(file), parameters],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
    queryFn: async (): Promise<Plan> => {
      const query = new URLSearchParams({ ...parameters, dryRun: 'true', name: nameOf(file) })
      const response = await send(`/api/v1/tables/import?${query}`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv' },
        body: await beginningOf(file),
      })
      if (!response.ok) throw await refusalOf(response)
      return response.json()
    },
  })

const nameOf = ({ name }: File) => name.replace(/\.[^.]*$/, '') || 'table'

/** Up to the end of a line, so that the last record is whole. */
async function beginningOf(file: File): Promise<Blob> {
  if (file.size <= mostBytes) return file
  const bytes = new Uint8Array(await file.slice(0, mostBytes).arrayBuffer())
  return file.slice(0, bytes.lastIndexOf(10) + 1 || mostBytes)
}

/** Only what differs from what was found: a type that is asked for is never widened. */
export function columnsOf({ columns }: Plan, wishes: Wishes): Record<string, unknown> | null {
  const asked: Record<string, unknown> = {}
  for (const [place, wish] of wishes) {
    const { header, name, type } = columns[place]!
    if (wish === null) asked[header] = null
    else {
      const changed = {
        ...(wish.name && wish.name !== name ? { name: wish.name } : {}),
        ...(wish.type && wish.type !== type ? { type: wish.type } : {}),
      }
      if (Object.keys(changed).length) asked[header] = changed
    }
  }
  return Object.keys(asked).length ? asked : null
}
