import { keyOf } from './reads'
import { type Builder, type Pick, tableRequest } from './requests'

/** Requests for histories, the trash and undo. Their ids belong to arbitrary changes, mostly in another table. */

const changeId = ({ c }: Pick) => String(1 + c * 3)
const dry = ({ b }: Pick) => (b % 3 ? '' : '?dryRun=true')

const post =
  (path: (asked: Pick) => string): Builder =>
  (asked) => ({ ...tableRequest(asked, path(asked)), method: 'POST' })

export const ofRecord: Builder = (asked) => tableRequest(asked, `/records/${keyOf(asked)}/history`)
export const restoreRecord = post((asked) => `/records/${keyOf(asked)}/history/${changeId(asked)}/restore${dry(asked)}`)
export const ofTable: Builder = (asked) => tableRequest(asked, '/history')
export const trash: Builder = (asked) => tableRequest(asked, `/trash?limit=${1 + (asked.a % 40)}`)
export const restoreDeleted = post((asked) => `/trash/${changeId(asked)}/restore${dry(asked)}`)

/** The request id of some of the writes, so that they can be undone. */
export const undoneRequest = 'canary-request'
export const undo: Builder = ({ b }) => ({
  method: 'POST',
  path: `/api/v1/changes/${undoneRequest}/undo?skipChanged=${b % 2 === 0}`,
})

/** All changes from the first one on that fit into one response. */
const everything = () => encodeURIComponent(`1~${Date.now().toString(36)}~3:3:~~0`)
export const feed: Builder = (asked) =>
  tableRequest(asked, `/changes?wait=0&after=${everything()}${asked.a % 3 ? '' : `&${asked.table.columns[0]!.name}=not.is.null`}`)
export const feedOfAll: Builder = () => ({ method: 'GET', path: `/api/v1/changes?wait=0&after=${everything()}` })
