import { formsUserId } from '../../../../forms/service-user-id'
import type { TableView } from '../../../../tables/model'
import { accessQuery, saveRules } from '../../api/access-document'
import { api, unwrap } from '../../api/client'
import { groupsQuery, refreshGroups } from '../../api/groups-query'
import { queryClient, tablesQuery } from '../../api/queries'
import { tableByName } from '../../records/values/column'

/**
 * Adds the rule that lets the service user of forms create all records of the table, for a group that has no other
 * member.
 * @throws ApiError precondition_failed if the access document has changed meanwhile
 */
export async function letFormsCreate(table: TableView): Promise<void> {
  const fresh = { staleTime: 0 }
  const { rules, etag } = await queryClient.fetchQuery({ ...accessQuery, ...fresh })
  const tables = await queryClient.fetchQuery({ ...tablesQuery, ...fresh })
  const ofTable = rules.filter((rule) => rule.table === '*' || tableByName(tables, rule.table)?.id === table.id)
  // The first rule of a table would close it to everyone else.
  if (ofTable.length === 0) return
  const groups = await queryClient.fetchQuery({ ...groupsQuery, ...fresh })
  const own = groups.find(({ members }) => members.length === 1 && members[0] === formsUserId)
  // Someone else has added the rule in the meantime.
  if (own && ofTable.some((rule) => rule.group === own.name && rule.create === 'all' && !rule.columns)) return
  const group = own?.name ?? (await createGroup(groups.map(({ name }) => name)))
  queryClient.setQueryData(accessQuery.queryKey, await saveRules([...rules, { group, table: table.id, create: 'all' }], etag))
}

async function createGroup(taken: readonly string[]): Promise<string> {
  const isTaken = (name: string) => taken.some((each) => each.toLowerCase() === name.toLowerCase())
  let name = 'Forms'
  for (let number = 2; isTaken(name); number++) name = `Forms ${number}`
  await unwrap(api.groups.post({ name, members: [formsUserId] }))
  await refreshGroups()
  return name
}
