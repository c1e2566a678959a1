import { invalidRequest } from '../../errors'
import { translatable } from '../../messages/message'
import type { RecordQuery } from './tree'

/** The words of a query that not every route knows. */
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

/** Whether the query asks for the whole record and nothing else, as it stands in its table. */
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

/** A word that would do nothing is refused: it was meant to do something. @throws Failure invalid_request */
export function rejectUnsupported(query: RecordQuery, ...allowed: Word[]): void {
  for (const word of Object.keys(names) as Word[]) {
    if (allowed.includes(word) || !isSaid[word](query)) continue
    const known = allowed.map((each) => names[each])
    throw invalidRequest(
      translatable('This request does not take {names}.', { names: names[word] }),
      known.length ? translatable('It takes {known}.', { known: known.join(', ') }) : translatable('It takes no parameters.'),
    )
  }
}
