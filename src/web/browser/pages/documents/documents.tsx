import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { documentsQuery, type Template } from '../../api/documents-query'
import { pluginsQuery } from '../../api/plugins-query'
import { useUser } from '../../api/use-user'
import { Icon } from '../../components/icon'
import { PluginProblems } from '../../components/plugin-problems'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'

/** Plugin names begin with a letter; for the service's own templates, the name begins with an underscore. */
const isOfService = ({ plugin }: Template) => plugin.startsWith('_')

export function DocumentsPage() {
  const { documents } = useStrings()
  const isAdmin = useUser().role === 'admin'
  const query = useQuery(documentsQuery())
  return (
    <Page title={documents.title} isNarrow>
      <p className="soft">{documents.text}</p>
      <Await query={query} lines={6}>
        {(templates) => (
          <>
            <div className="offers">
              {templates.map(({ plugin, template, title, formats }) => (
                <Link key={`${plugin}/${template}`} className="offer" to="/documents/$plugin/$template" params={{ plugin, template }}>
                  <span className="state-icon">
                    <Icon name="file" size={20} />
                  </span>
                  <span className="offer-title">{title}</span>
                  <span className="soft">{formats.map((each) => documents.formats[each] ?? each).join(', ')}</span>
                </Link>
              ))}
            </div>
            {isAdmin && templates.every(isOfService) ? <p className="soft">{documents.ownText}</p> : null}
          </>
        )}
      </Await>
      {isAdmin ? <RefusedPlugins /> : null}
    </Page>
  )
}

/** The plugins that were not loaded, with the reasons. */
function RefusedPlugins() {
  const { documents } = useStrings()
  const problems = useQuery(pluginsQuery).data?.flatMap((plugin) => plugin.problems) ?? []
  if (problems.length === 0) return null
  return (
    <div className="stack">
      <p className="soft">{documents.refused}</p>
      <PluginProblems problems={problems} />
    </div>
  )
}
