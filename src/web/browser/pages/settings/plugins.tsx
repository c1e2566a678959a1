import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client'
import { Panel } from '../../components/panel'
import { Await, EmptyState } from '../../components/query-state'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'

/** For administrators only. */
export const pluginsQuery = queryOptions({ queryKey: ['plugins'], queryFn: async () => (await unwrap(api.plugins.get())).plugins })

type Plugin = NonNullable<typeof pluginsQuery.queryFn> extends (...parameters: never[]) => Promise<(infer Each)[]> | infer _ ? Each : never

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

function PluginRow({ plugin: { name, state, problems, endpoints, templates } }: { plugin: Plugin }) {
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

/** What is wrong with a plugin, and where. */
export const PluginProblems = ({ problems }: Pick<Plugin, 'problems'>) =>
  problems.map(({ file, line, column, message }) => (
    <div key={`${file} ${line} ${message}`}>
      <p className="mono facts">{[file, line, column].filter((part) => part !== null).join(':')}</p>
      <p className="alert">{message}</p>
    </div>
  ))

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
