import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import type { RecordQuery } from './tree'

/** The reserved parameters that not every route supports. */
type Word =
  | 'filters'
  | 'order'
  | 'limit'
  | 'offset'
  | 'cursor'
  | 'count'
  | 'search'
  | 'select'
  | 'maxAffected'
  | 'isDryRun'
  | 'columns'
  | 'onConflict'

const names: Record<Word, string> = {
  filters: 'a filter',
  order: '"order"',
  limit: '"limit"',
  offset: '"offset"',
  cursor: '"cursor"',
  count: '"count"',
  search: '"q"',
  select: '"select"',
  maxAffected: '"maxAffected"',
  isDryRun: '"dryRun"',
  columns: '"columns"',
  onConflict: '"on_conflict"',
}

/** Whether the query requests exactly the whole record, as stored in its table. */
export const isBare = ({ select, embedded }: RecordQuery): boolean =>
  select.length === 1 && select[0]!.kind === 'all' && Object.keys(embedded).length === 0

const isSaid: Record<Word, (query: RecordQuery) => boolean> = {
  filters: ({ filters }) => filters.length > 0,
  order: ({ order }) => order.length > 0,
  limit: ({ limit }) => limit !== undefined,
  offset: ({ offset }) => offset !== undefined,
  cursor: ({ cursor }) => cursor !== undefined,
  count: ({ count }) => count !== undefined,
  search: ({ search }) => search !== undefined,
  select: (query) => !isBare(query),
  maxAffected: ({ maxAffected }) => maxAffected !== undefined,
  isDryRun: ({ isDryRun }) => isDryRun !== undefined,
  columns: ({ columns }) => columns !== undefined,
  onConflict: ({ onConflict }) => onConflict !== undefined,
}

/** Rejects a parameter that would have no effect: the caller expected one. @throws Failure invalid_request */
export function rejectUnsupported(query: RecordQuery, ...allowed: Word[]): void {
  for (const word of Object.keys(names) as Word[]) {
    if (allowed.includes(word) || !isSaid[word](query)) continue
    const known = allowed.map((each) => names[each])
    throw invalidRequest(
      translatable('This request does not accept {names}.', { names: names[word] }),
      known.length ? translatable('It accepts {known}.', { known: known.join(', ') }) : translatable('It accepts no parameters.'),
    )
  }
}
