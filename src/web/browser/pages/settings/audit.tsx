import { Button, NativeSelect } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditFilter } from '../../../../auth/audit/audit-log'
import { api, unwrap } from '../../api/client'
import { userLabel, usersQuery } from '../../api/users-query'
import { Panel } from '../../components/panel'
import { Await, EmptyState } from '../../components/query-state'
import { DateInput } from '../../fields/date-input'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { AuditTable } from './audit-table'

type Filter = Pick<AuditFilter, 'actor' | 'kind' | 'from' | 'to'>

const entriesPerPage = 50

/** Cursor pages: new entries do not shift the older ones. */
const auditQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      unwrap(api.audit.get({ query: { ...filter, limit: entriesPerPage, ...(pageParam ? { cursor: pageParam } : {}) } })),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

export function AuditPage() {
  const { admin } = useStrings()
  useDocumentTitle(admin.audit)
  const [filter, setFilter] = useState<Filter>({})
  const query = useInfiniteQuery({ ...auditQuery(filter), placeholderData: (before) => before })
  return (
    <Panel title={admin.audit} text={admin.auditText}>
      <Filters filter={filter} setFilter={setFilter} />
      <Await query={query} lines={12}>
        {({ pages }) =>
          pages[0]?.entries.length === 0 ? (
            <EmptyState icon="search" title={admin.noEntries} text={admin.noEntriesText} />
          ) : (
            <AuditTable entries={pages.flatMap(({ entries }) => entries)} />
          )
        }
      </Await>
      {query.hasNextPage ? (
        <Button variant="default" aria-busy={query.isFetching} onClick={() => void query.fetchNextPage()}>
          {admin.showOlder}
        </Button>
      ) : null}
    </Panel>
  )
}

type FiltersProps = { filter: Filter; setFilter: (filter: Filter) => void }

function Filters({ filter, setFilter }: FiltersProps) {
  const { admin } = useStrings()
  const { data: users = [] } = useQuery(usersQuery)
  const change = (part: Filter) => {
    const merged = { ...filter, ...part }
    setFilter(Object.fromEntries(Object.entries(merged).filter(([, value]) => value)))
  }
  return (
    <div className="filters">
      <NativeSelect
        label={admin.event}
        onChange={(event) => change({ kind: event.currentTarget.value as Filter['kind'] })}
        data={[{ value: '', label: admin.allEvents }, ...Object.entries(admin.events).map(([value, label]) => ({ value, label }))]}
      />
      <NativeSelect
        label={admin.actor}
        onChange={(event) => change({ actor: event.currentTarget.value })}
        data={[{ value: '', label: admin.allUsers }, ...users.map((user) => ({ value: user.id, label: userLabel(user) }))]}
      />
      <DayFilter label={admin.from} change={(day) => change({ from: startOf(day, 0) })} />
      <DayFilter label={admin.to} change={(day) => change({ to: startOf(day, 1) })} />
    </div>
  )
}

function DayFilter({ label, change }: { label: string; change: (day: string) => void }) {
  const [day, setDay] = useState('')
  const set = (typed: string, isPartial: boolean) => {
    setDay(typed)
    change(isPartial ? '' : typed)
  }
  return <DateInput kind="date" label={label} value={day} change={set} />
}

/** A day in the user's time zone. */
function startOf(day: string, more: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? []
  return year ? new Date(year, month! - 1, date! + more).toISOString() : undefined
}
