import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { queryClient, tablesQuery, type Visitor, visitorQuery } from './api/queries'
import { AppFrame } from './layout/app-frame'
import { LostPage, NotFound, PageFailed } from './layout/not-found'
import { lazyPage } from './lazy-page'
import { SetupPage } from './pages/first-run/setup'
import { validSearch } from './pages/grid/data/list-query'
import { prefetchDefinition, prefetchTable } from './pages/grid/data/table-queries'
import { GridPage } from './pages/grid/page/grid-page'
import { HomePage } from './pages/home/home'
import { InvitePage } from './pages/sign-in/invite'
import { SignInPage } from './pages/sign-in/sign-in'
import { nextPage } from './session/next-page'

/** Whoever is signed in is known already; a stranger may have signed in elsewhere in the meantime. */
async function visitor(): Promise<Visitor> {
  const known = queryClient.getQueryData(visitorQuery.queryKey)
  return known?.state === 'signedIn' ? known : queryClient.fetchQuery({ ...visitorQuery, staleTime: 0 })
}

const laterPages = () => import('./pages/lazy-pages')

/** Waits for what a page shows first, so that it comes whole; what takes longer is waited for by the page itself, which says so. */
const soon = (work: Promise<unknown>) => Promise.race([work.catch(() => {}), new Promise((late) => setTimeout(late, patienceMs))])
const patienceMs = 200

const root = createRootRoute({ component: Outlet, notFoundComponent: LostPage })

/** Pages for those who have not signed in. Before setup every path leads to it. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  beforeLoad: async () => ({ isNeeded: (await visitor()).state === 'setup' }),
  component: SetupPage,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === 'string' ? { next } : {}),
  beforeLoad: async () => {
    if ((await visitor()).state === 'setup') throw redirect({ to: '/setup', replace: true })
  },
  component: SignInPage,
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: InvitePage,
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
  loader: () => void queryClient.prefetchQuery(tablesQuery),
  component: AppFrame,
})

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: HomePage,
})

const table = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId',
  validateSearch: validSearch,
  // Records that were read when the pointer came near may be old when it is pressed.
  loader: ({ params: { tableId }, location, preload }) =>
    soon(preload ? prefetchDefinition(tableId) : prefetchTable(tableId, validSearch(location.search))),
  component: GridPage,
})

const newRecord = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/new',
  component: lazyPage(laterPages, 'NewRecordPage'),
})

const record = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/$pk',
  component: lazyPage(laterPages, 'RecordPage'),
})

const columns = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/columns',
  component: lazyPage(laterPages, 'ColumnsPage'),
})

const importNew = createRoute({
  getParentRoute: () => app,
  path: '/tables/import',
  component: lazyPage(laterPages, 'NewTablePage'),
})

const importInto = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/import',
  component: lazyPage(laterPages, 'ImportIntoPage'),
})

const documents = createRoute({
  getParentRoute: () => app,
  path: '/documents',
  component: lazyPage(laterPages, 'DocumentsPage'),
})

const document = createRoute({
  getParentRoute: () => app,
  path: '/documents/$plugin/$template',
  component: lazyPage(laterPages, 'DocumentPage'),
})

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyPage(laterPages, 'SettingsPage'),
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
  component: lazyPage(laterPages, 'AccountPage'),
})

const about = createRoute({
  getParentRoute: () => settings,
  path: 'about',
  component: lazyPage(laterPages, 'AboutPage'),
})

/** Pages for administrators; the service refuses all others by itself. */
const users = createRoute({
  getParentRoute: () => settings,
  path: 'users',
  component: lazyPage(laterPages, 'UsersPage'),
})

const plugins = createRoute({
  getParentRoute: () => settings,
  path: 'plugins',
  component: lazyPage(laterPages, 'PluginsPage'),
})

const schemas = createRoute({
  getParentRoute: () => settings,
  path: 'schemas',
  component: lazyPage(laterPages, 'SchemasPage'),
})

const audit = createRoute({
  getParentRoute: () => settings,
  path: 'audit',
  component: lazyPage(laterPages, 'AuditPage'),
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

/** Whoever looks at nothing meanwhile sees the first page at once and whole, unless it takes long: then its frame comes first. */
export const loadFirstPage = () => soon(router.load())

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
