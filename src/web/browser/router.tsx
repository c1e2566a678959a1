import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { queryClient, tablesQuery, type Visitor, visitorQuery } from './api/queries'
import { endOwnSession } from './api/sign-out'
import { lazyComponent } from './components/lazy-component'
import { LazyDialogsContext } from './layout/lazy-dialogs'
import { GuestNotFound, NotFound, PageError } from './layout/not-found'
import { Shell } from './layout/shell'
import { lazyPage } from './lazy-page'
import { SetupPage } from './pages/first-run/setup'
import { GridPage } from './pages/grid/page/grid-page'
import { namedViewQuery } from './pages/grid/page/views/named-view-query'
import { HomePage } from './pages/home/home'
import { InvitePage } from './pages/sign-in/invite'
import { SignInPage } from './pages/sign-in/sign-in'
import { validateSearch } from './records/list/list-query'
import { prefetchDefinition, prefetchTable } from './records/list/table-queries'
import { nextPage } from './session/next-page'

/** A signed-in visitor is cached; an anonymous one may have signed in in another window. */
async function currentVisitor(): Promise<Visitor> {
  const cached = queryClient.getQueryData(visitorQuery.queryKey)
  return cached?.state === 'signedIn' ? cached : queryClient.fetchQuery({ ...visitorQuery, staleTime: 0 })
}

const loadLazyPages = () => import('./pages/lazy-pages')
const lazyDialogs = {
  TableDialogs: lazyComponent(async () => (await loadLazyPages()).TableDialogs),
  KeyboardShortcuts: lazyComponent(async () => (await loadLazyPages()).KeyboardShortcuts),
}

/**
 * Waits briefly for the data of a page, so that it renders once. If it takes longer, the page shows its own loading
 * state.
 */
const withinTimeout = (work: Promise<unknown>) =>
  Promise.race([work.catch(() => {}), new Promise((late) => setTimeout(late, loaderTimeoutMs))])
const loaderTimeoutMs = 200

const root = createRootRoute({ component: Outlet, notFoundComponent: GuestNotFound })

/** Pages for visitors who are not signed in. Before setup, every path redirects to it. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  beforeLoad: async () => ({ isNeeded: (await currentVisitor()).state === 'setup' }),
  component: SetupPage,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === 'string' ? { next } : {}),
  beforeLoad: async () => {
    if ((await currentVisitor()).state === 'setup') throw redirect({ to: '/setup', replace: true })
    return { failure: await endOwnSession() }
  },
  component: SignInPage,
})

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: InvitePage,
})

/** All routes below require a user, who is in their context. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ location }) => {
    const here = await currentVisitor()
    if (here.state === 'setup') throw redirect({ to: '/setup', replace: true })
    const requested = nextPage(location.href, window.location.origin)
    const next = requested === '/' ? undefined : requested
    if (here.state === 'stranger') throw redirect({ to: '/sign-in', search: { next }, replace: true })
    return { user: here.user }
  },
  loader: () => void queryClient.prefetchQuery(tablesQuery),
  component: () => (
    <LazyDialogsContext value={lazyDialogs}>
      <Shell />
    </LazyDialogsContext>
  ),
})

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: HomePage,
})

const table = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId',
  validateSearch: validateSearch,
  // Do not prefetch records on hover: they may be outdated when the link is followed.
  loader: ({ params: { tableId }, location, preload }) => {
    const fetchNamed = (id: string) => queryClient.fetchQuery(namedViewQuery(tableId, id))
    return withinTimeout(preload ? prefetchDefinition(tableId) : prefetchTable(tableId, validateSearch(location.search), fetchNamed))
  },
  component: GridPage,
})

const newRecord = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/new',
  component: lazyPage(loadLazyPages, 'NewRecordPage'),
})

const record = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/records/$pk',
  component: lazyPage(loadLazyPages, 'RecordPage'),
})

const columns = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/columns',
  component: lazyPage(loadLazyPages, 'ColumnsPage'),
})

const forms = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/forms',
  component: lazyPage(loadLazyPages, 'FormsPage'),
})

const recentChanges = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/history',
  component: lazyPage(loadLazyPages, 'RecentChangesPage'),
})

const trash = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/trash',
  component: lazyPage(loadLazyPages, 'TableTrashPage'),
})

const importNew = createRoute({
  getParentRoute: () => app,
  path: '/tables/import',
  component: lazyPage(loadLazyPages, 'NewTablePage'),
})

const importInto = createRoute({
  getParentRoute: () => app,
  path: '/tables/$tableId/import',
  component: lazyPage(loadLazyPages, 'ImportIntoPage'),
})

const documents = createRoute({
  getParentRoute: () => app,
  path: '/documents',
  component: lazyPage(loadLazyPages, 'DocumentsPage'),
})

const document = createRoute({
  getParentRoute: () => app,
  path: '/documents/$plugin/$template',
  component: lazyPage(loadLazyPages, 'DocumentPage'),
})

const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: lazyPage(loadLazyPages, 'SettingsPage'),
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
  component: lazyPage(loadLazyPages, 'AccountPage'),
})

const about = createRoute({
  getParentRoute: () => settings,
  path: 'about',
  component: lazyPage(loadLazyPages, 'AboutPage'),
})

/** Pages for administrators. The service rejects requests of other users. */
const users = createRoute({
  getParentRoute: () => settings,
  path: 'users',
  component: lazyPage(loadLazyPages, 'UsersPage'),
})

const groups = createRoute({
  getParentRoute: () => settings,
  path: 'groups',
  component: lazyPage(loadLazyPages, 'GroupsPage'),
})

const access = createRoute({
  getParentRoute: () => settings,
  path: 'access',
  validateSearch: ({ table }: Record<string, unknown>): { table?: string } => (typeof table === 'string' ? { table } : {}),
  component: lazyPage(loadLazyPages, 'AccessPage'),
})

const plugins = createRoute({
  getParentRoute: () => settings,
  path: 'plugins',
  component: lazyPage(loadLazyPages, 'PluginsPage'),
})

const schemas = createRoute({
  getParentRoute: () => settings,
  path: 'schemas',
  component: lazyPage(loadLazyPages, 'SchemasPage'),
})

const backups = createRoute({
  getParentRoute: () => settings,
  path: 'backups',
  component: lazyPage(loadLazyPages, 'BackupsPage'),
})

const audit = createRoute({
  getParentRoute: () => settings,
  path: 'audit',
  component: lazyPage(loadLazyPages, 'AuditPage'),
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
      forms,
      recentChanges,
      trash,
      importNew,
      importInto,
      documents,
      document,
      settings.addChildren([settingsIndex, account, users, groups, access, plugins, schemas, backups, audit, about]),
    ]),
  ]),
  defaultPreload: 'intent',
  // TanStack Query decides which data is stale.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  // The router identifies an element by its place in the document: one table's list would start at the position of
  // another's, and a list would jump when a record opens beside it. `use-selection.ts` restores the positions of lists.
  scrollRestoration: ({ location }) => !/^\/tables\/[^/]+$/.test(location.pathname),
})

/** Loads the first page before the first render, up to the time limit. */
export const loadFirstPage = () => withinTimeout(router.load())

/** Preloads the code of all pages when the browser is idle, so that they open immediately, even offline. */
export function preloadPages() {
  for (const { options } of Object.values(router.routesById)) {
    const component = options.component as { preload?: () => Promise<unknown> } | undefined
    // It is loaded again on demand.
    component?.preload?.()?.catch(() => {})
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
