import { Elysia, t } from 'elysia'
import { authHooks } from '../auth/hooks'
import type { Deps } from '../deps'
import type { LoadedPlugins } from './load/loaded'
import { textIn } from './load/localized-text'

const Endpoint = t.Object({ method: t.String(), path: t.String(), public: t.Boolean(), title: t.Optional(t.String()) })

const Template = t.Object({ name: t.String(), title: t.String(), public: t.Boolean(), formats: t.Array(t.String()) })

const Problem = t.Object({
  file: t.String({ description: 'In the plugins directory.' }),
  line: t.Nullable(t.Integer()),
  column: t.Nullable(t.Integer()),
  message: t.String(),
})

const PluginView = t.Object({
  name: t.String(),
  state: t.Union([t.Literal('loaded'), t.Literal('failed')]),
  endpoints: t.Array(Endpoint),
  templates: t.Array(Template),
  problems: t.Array(Problem),
})

/** The routes that list the plugins found in the plugins directory at the start, and whether each was loaded. */
export const pluginRoutes = (deps: Deps, { all }: LoadedPlugins) => {
  const plugins = all.map(({ name, plugin, problems }): typeof PluginView.static => ({
    name,
    state: plugin ? 'loaded' : 'failed',
    endpoints: (plugin?.endpoints ?? []).map(({ method, path, isPublic, title }) => ({
      method,
      path: `/api/v1/custom/${name}${path === '/' ? '' : path}`,
      public: isPublic,
      ...(title === undefined ? {} : { title }),
    })),
    templates: (plugin?.templates ?? []).map((template) => ({
      name: template.name,
      title: textIn(template.title, 'en'),
      public: template.isPublic,
      formats: Object.keys(template.formats),
    })),
    problems,
  }))
  return new Elysia({ name: 'plugins/routes', prefix: '/api/v1/plugins', tags: ['plugins'] })
    .use(authHooks(deps))
    .get('/', () => ({ plugins }), {
      role: 'admin',
      response: t.Object({ plugins: t.Array(PluginView) }),
      detail: { summary: 'List the plugins and their problems' },
    })
}
