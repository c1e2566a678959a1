import { Button } from '@mantine/core'
import { useStrings } from '../../language'

type LoadMoreProps = { query: { hasNextPage: boolean; isFetching: boolean; fetchNextPage: () => unknown } }

/** The button for the next page of a list, while there is one. */
export function LoadMore({ query }: LoadMoreProps) {
  const { history } = useStrings()
  return query.hasNextPage ? (
    <Button variant="default" className="at-start" aria-busy={query.isFetching} onClick={() => void query.fetchNextPage()}>
      {history.loadMore}
    </Button>
  ) : null
}
