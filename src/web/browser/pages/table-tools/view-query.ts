import { useLocation } from '@tanstack/react-router'

/** What an export or a script has no use for: where the reading stands, and how much of it is shown. */
const foreign = ['cursor', 'count', 'limit', 'offset']

/**
 * The filters and the order of the current view, from the page's address, in the grammar of records (docs/query-grammar.md).
 * TanStack writes a text that would also be JSON, such as "5", in quotes.
 */
export function useViewQuery(): URLSearchParams {
  const search = useLocation({ select: ({ searchStr }) => searchStr })
  const pairs = [...new URLSearchParams(search)].filter(([name]) => !foreign.includes(name))
  return new URLSearchParams(pairs.map(([name, value]) => [name, unquoted(value)]))
}

function unquoted(value: string): string {
  if (!/^".*"$/s.test(value)) return value
  try {
    return String(JSON.parse(value))
  } catch {
    return value
  }
}
