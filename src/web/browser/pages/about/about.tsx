import { Anchor } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error'
import { api, unwrap } from '../../api/client'
import { useUser } from '../../api/use-user'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { formatBytes, formatNumber } from '../../values/format'

const versionQuery = queryOptions({ queryKey: ['version'], queryFn: () => unwrap(api.version.get()) })

type Readiness = Awaited<ReturnType<typeof readiness>>

const healthQuery = queryOptions({ queryKey: ['health'], refetchInterval: 30_000, queryFn: () => readiness() })

/** A service that is not ready responds with 503 and the same body. */
async function readiness() {
  const { data, error, response, status } = await api.readyz.get()
  if (data) return data
  if (error?.status === 503 && error.value && 'checks' in error.value) return error.value
  throw response ? new ApiError(status, {}, 0) : new TypeError('The service cannot be reached.')
}

const systemQuery = queryOptions({ queryKey: ['system'], queryFn: () => unwrap(api.system.get()) })

export function AboutPage() {
  const { about } = useStrings()
  useDocumentTitle(about.title)
  const version = useQuery(versionQuery)
  const health = useQuery(healthQuery)
  const { role } = useUser()
  return (
    <>
      <Panel title="Rowhouse" text={about.licences}>
        <Await query={version} lines={3}>
          {(data) => (
            <dl className="pairs">
              <dt>{about.version}</dt>
              <dd>{data.version}</dd>
              <dt>{about.commit}</dt>
              <dd className="mono">{data.commit}</dd>
              <dt>{about.api}</dt>
              <dd>
                {data.api} · <Anchor href="/swagger">{about.documentation}</Anchor>
              </dd>
            </dl>
          )}
        </Await>
      </Panel>
      <Panel title={about.health}>
        <Await query={health} lines={4}>
          {(data) => <Health health={data} />}
        </Await>
      </Panel>
      {role === 'admin' ? <System /> : null}
    </>
  )
}

function System() {
  const { about } = useStrings()
  const query = useQuery(systemQuery)
  return (
    <Panel title={about.system}>
      <Await query={query} lines={5}>
        {({ database, storage }) => (
          <dl className="pairs">
            <dt>{about.database}</dt>
            <dd>{about.databaseKind[database.kind](database.version)}</dd>
            <dt>{about.databaseSize}</dt>
            <dd>{database.sizeBytes === null ? about.unknown : formatBytes(database.sizeBytes)}</dd>
            <dt>{about.files}</dt>
            <dd>{about.filesOf(storage.files, formatBytes(storage.sizeBytes))}</dd>
            <dt>{about.storage}</dt>
            <dd className="mono breakable">{storage.place}</dd>
            <dt>{about.free}</dt>
            <dd>{storage.freeBytes === null ? about.unknown : formatBytes(storage.freeBytes)}</dd>
          </dl>
        )}
      </Await>
    </Panel>
  )
}

function Health({ health: { status, checks } }: { health: Readiness }) {
  const { about } = useStrings()
  return (
    <>
      <p>
        <span className={status === 'ok' ? 'badge' : 'badge is-warning'}>{about.states[status]}</span>
      </p>
      <dl className="pairs">
        <dt>{about.database}</dt>
        <dd>{about.databaseStates[checks.database]}</dd>
        <dt>{about.attachments}</dt>
        <dd>{about.storageStates[checks.storage]}</dd>
        <dt>{about.acceptsRequests}</dt>
        <dd>{checks.serving ? about.yes : about.no}</dd>
        <dt>{about.failedPlugins}</dt>
        <dd>{formatNumber(checks.failedPlugins)}</dd>
        <dt>{about.backup}</dt>
        <dd>{about.backupStates[checks.backup]}</dd>
        {checks.walArchive === 'off' ? null : (
          <>
            <dt>{about.walArchive}</dt>
            <dd>{about.walArchiveStates[checks.walArchive]}</dd>
          </>
        )}
      </dl>
    </>
  )
}
