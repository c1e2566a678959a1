import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { accessQuery } from '../../api/access-document'
import { groupsQuery } from '../../api/groups-query'
import { tablesQuery } from '../../api/queries'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { AccessExplanation } from './explanation'
import { AccessHistory } from './history'
import { RuleSet } from './rule-set'
import { ViewPanel } from './view-panel'

/** The page of access rules: who may see and change which records. */
export function AccessPage() {
  const { access } = useStrings()
  const { table } = useSearch({ from: '/app/settings/access' })
  useDocumentTitle(access.title)
  const document = useQuery(accessQuery)
  const tables = useQuery(tablesQuery)
  const first = tables.data?.find(({ id }) => id === table)?.id
  const groups = useQuery(groupsQuery)
  return (
    <Await query={document} lines={8}>
      {(stored) => (
        <Await query={tables} lines={8}>
          {(allTables) => (
            <Await query={groups} lines={8}>
              {(named) => (
                <>
                  <RuleSet document={stored} tables={allTables} groups={named.map(({ name }) => name)} first={first} />
                  <AccessExplanation key={first} tables={allTables} first={first} />
                  <ViewPanel first={first} />
                  <AccessHistory tables={allTables} />
                </>
              )}
            </Await>
          )}
        </Await>
      )}
    </Await>
  )
}
