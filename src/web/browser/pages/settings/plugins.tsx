import { useQuery } from '@tanstack/react-query'
import { type ListedPlugin, pluginsQuery } from '../../api/plugins-query'
import { Panel } from '../../components/panel'
import { PluginProblems } from '../../components/plugin-problems'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'

/** The plugins: state, errors, endpoints and templates. */
export function PluginsPage() {
  const { admin } = useStrings()
  useDocumentTitle(admin.plugins)
  const query = useQuery(pluginsQuery)
  return (
    <Panel title={admin.plugins} text={admin.pluginsText}>
      <Await query={query} lines={6}>
        {(plugins) =>
          plugins.length === 0 ? (
            <EmptyState icon="code" title={admin.noPlugins} text={admin.noPluginsText} />
          ) : (
            <ul className="rows">
              {plugins.map((plugin) => (
                <PluginRow key={plugin.name} plugin={plugin} />
              ))}
            </ul>
          )
        }
      </Await>
    </Panel>
  )
}

function PluginRow({ plugin: { name, state, problems, endpoints, templates } }: { plugin: ListedPlugin }) {
  const { admin } = useStrings()
  return (
    <li>
      <div className="stack">
        <h3>
          {name} <span className={state === 'loaded' ? 'badge' : 'badge is-warning'}>{admin[state]}</span>
        </h3>
        <PluginProblems problems={problems} />
        <EndpointList title={admin.endpoints} doors={endpoints.map((each) => ({ ...each, name: `${each.method} ${each.path}` }))} />
        <EndpointList
          title={admin.templates}
          doors={templates.map((each) => ({ ...each, title: each.formats.join(', '), name: `${name}/${each.name}` }))}
        />
      </div>
    </li>
  )
}

type Endpoint = { name: string; public: boolean; title?: string }

function EndpointList({ title, doors }: { title: string; doors: Endpoint[] }) {
  const { admin } = useStrings()
  if (doors.length === 0) return null
  return (
    <>
      <p className="facts">{title}</p>
      <ul className="doors">
        {doors.map((door) => (
          <li key={door.name}>
            <code className="mono">{door.name}</code>{' '}
            <span className={door.public ? 'badge is-warning' : 'badge'} title={door.public ? admin.publicHelp : undefined}>
              {door.public ? admin.public : admin.login}
            </span>{' '}
            <span className="facts">{door.title}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
