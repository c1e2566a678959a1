import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useUser } from '../../api/use-user'
import { useStrings } from '../../language'
import { NotFound } from '../../layout/not-found'
import { Page } from '../../layout/page'

/** The layout of the settings: of the user's own account, or of the workspace, with its pages as tabs. */
export function SettingsPage() {
  const { shell } = useStrings()
  const { role } = useUser()
  const { pathname } = useLocation()
  if (role !== 'admin' && !['/settings/account', '/settings/about'].includes(pathname)) return <NotFound />
  // The keys make these two different pages, so that the focus moves from one to the other.
  return pathname === '/settings/account' ? (
    <Page key="account" title={shell.myAccount} isNarrow>
      <Outlet />
    </Page>
  ) : (
    <Page key="workspace" title={role === 'admin' ? shell.workspace : shell.about} isNarrow>
      {role === 'admin' ? <WorkspaceTabs pathname={pathname} /> : null}
      <Outlet />
    </Page>
  )
}

function WorkspaceTabs({ pathname }: { pathname: string }) {
  const { access, admin, backups, groups, shell } = useStrings()
  const tabs = useRef<HTMLElement>(null)
  // On a phone the active tab may be scrolled out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the path, and with it the tab, changes
  useEffect(() => {
    // New browsers return a promise here, which React would call as the cleanup of the effect.
    void tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav ref={tabs} className="tabs" aria-label={shell.workspace}>
      <Link className="tab" to="/settings/users">
        {admin.users}
      </Link>
      <Link className="tab" to="/settings/groups">
        {groups.title}
      </Link>
      <Link className="tab" to="/settings/access">
        {access.title}
      </Link>
      <Link className="tab" to="/settings/plugins">
        {admin.plugins}
      </Link>
      <Link className="tab" to="/settings/schemas">
        {admin.schemas}
      </Link>
      <Link className="tab" to="/settings/backups">
        {backups.title}
      </Link>
      <Link className="tab" to="/settings/audit">
        {admin.audit}
      </Link>
      <Link className="tab" to="/settings/about">
        {shell.about}
      </Link>
    </nav>
  )
}
