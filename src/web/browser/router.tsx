import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { AppFrame } from './layout/app-frame'
import { LostPage, NotFound, PageFailed } from './layout/not-found'
import { lazyPage } from './lazy-page'
import { nextPage } from './next-page'
import { validSearch } from './pages/grid/address'
import { prefetchTable } from './pages/grid/table-query'
import { queryClient, type Visitor, visitorQuery } from './queries'

/** Whoever is signed in is known already; a stranger may have signed in elsewhere in the meantime. */
async function visitor(): Promise<Visitor> {
  const known = queryClient.getQueryData(visitorQuery.queryKey)
  return known?.state === 'signedIn' ? known : queryClient.fetchQuery({ ...visitorQuery, staleTime: 0 })
}

const rarePages = () => import('./pages/rare')
const gridPage = () => import('./pages/grid/grid-page')

const root = createRootRoute({ component: Outlet, notFoundComponent: LostPage })

/** Pages for those who have not signed in. Before setup every path leads to it. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  beforeLoad: async () => ({ isNeeded: (await visitor()).state === 'setup' }),
  component: lazyPage(() => import('./pages/first-run/setup'), 'SetupPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === 'string' ? { next } : {}),
  beforeLoad: async () => {
    if ((await visitor()).state === 'setup') throw redirect({ to: '/setup', replace: true })
  },
  component: lazyPage(() => import('./pages/sign-in/sign-in'), 'SignInPage'),
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyPage(() => import('./pages/sign-in/invite'), 'InvitePage'),
})

/** Everything below needs somebody who is signed in; `user` is in the context of each page. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ location }) => {
    const here = await visitor()
    if (here.state === 'setup') throw redirect({ to: '/setup', replace: true })
    const asked = nextPage(location.href, window.location.origin)
    const next = asked === '/' ? undefined : asked
    if (here.state === 'stranger') throw redirect({ to: '/sign-in', search: { next }, replace: true })
    return { user: here.user }
  },
  component: AppFrame,
})

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: lazyPage(() => import('./pages/home/home'), 'HomePage'),
})

const table = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId',
  validateSearch: validSearch,
  loader: ({ params }) => prefetchTable(params.tableId),
  component: lazyPage(gridPage, 'GridPage'),
})

const newRecord = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/new',
  component: lazyPage(() => import('./pages/record/new-record'), 'NewRecordPage'),
})

const record = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/$pk',
  component: lazyPage(() => import('./pages/record/record'), 'RecordPage'),
})

const columns = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/columns',
  component: lazyPage(() => import('./pages/columns/columns'), 'ColumnsPage'),
})

const importNew = createRoute({
  getParentRoute: () => app,
  path: '/tables/import',
  component: lazyPage(rarePages, 'NewTablePage'),
})

const importInto = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/import',
  component: lazyPage(rarePages, 'ImportIntoPage'),
})

const documents = createRoute({
  getParentRoute: () => app,
  path: '/documents',
  component: lazyPage(rarePages, 'DocumentsPage'),
})

const document = createRoute({
  getParentRoute: () => app,
  path: '/documents/$plugin/$template',
  component: lazyPage(rarePages, 'DocumentPage'),
})

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyPage(rarePages, 'SettingsPage'),
})

const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/account', replace: true })
  },
})

const account = createRoute({
  getParentRoute: () => settings,
  path: 'account',
  component: lazyPage(rarePages, 'AccountPage'),
})

const about = createRoute({
  getParentRoute: () => settings,
  path: 'about',
  component: lazyPage(rarePages, 'AboutPage'),
})

/** Pages for administrators; the service refuses all others by itself. */
const users = createRoute({
  getParentRoute: () => settings,
  path: 'users',
  component: lazyPage(rarePages, 'UsersPage'),
})

const plugins = createRoute({
  getParentRoute: () => settings,
  path: 'plugins',
  component: lazyPage(rarePages, 'PluginsPage'),
})

const schemas = createRoute({
  getParentRoute: () => settings,
  path: 'schemas',
  component: lazyPage(rarePages, 'SchemasPage'),
})

const audit = createRoute({
  getParentRoute: () => settings,
  path: 'audit',
  component: lazyPage(rarePages, 'AuditPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    setup,
    signIn,
    invite,
    app.addChildren([
      home,
      table,
      newRecord,
      record,
      columns,
      importNew,
      importInto,
      documents,
      document,
      settings.addChildren([settingsIndex, account, users, plugins, schemas, audit, about]),
    ]),
  ]),
  defaultPreload: 'intent',
  // What is fresh is TanStack Query's business.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

/** The code of the grid, which is the page that people come for, before it is known who they are. */
export function warmUp(path: string) {
  if (/^\/tables\/[^/]+$/.test(path)) gridPage().catch(() => {})
}

/** Fetches the code of all pages, when there is nothing better to do: then they open at once, and also after the connection is lost. */
export function preloadPages() {
  for (const { options } of Object.values(router.routesById)) {
    const component = options.component as { preload?: () => Promise<unknown> } | undefined
    // It is fetched again when it is needed.
    component?.preload?.()?.catch(() => {})
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
