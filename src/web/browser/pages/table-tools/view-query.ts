import { useLocation } from '@tanstack/react-router'

/** Parameters that do not apply to exports and scripts: paging and counts. */
const foreign = ['cursor', 'count', 'limit', 'offset']

/**
 * The filters and the order of the current view, from the page's URL, in the query grammar (docs/query-grammar.md).
 * TanStack Router quotes strings that are also JSON, such as "5".
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
