import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'
import { useUser } from '../../session/use-user'

/** The layout of all settings pages, which are its tabs. */
export function SettingsPage() {
  const { admin, shell } = useStrings()
  const { role } = useUser()
  const { pathname } = useLocation()
  const tabs = useRef<HTMLElement>(null)
  // On a phone the active tab may be scrolled out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the path, and with it the tab, changes
  useEffect(() => {
    // New browsers return a promise here, which React would call as the cleanup of the effect.
    void tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <Page title={shell.settings} isNarrow>
      <nav ref={tabs} className="tabs" aria-label={shell.settings}>
        <Link className="tab" to="/settings/account">
          {shell.myAccount}
        </Link>
        {role === 'admin' ? (
          <>
            <Link className="tab" to="/settings/users">
              {admin.users}
            </Link>
            <Link className="tab" to="/settings/plugins">
              {admin.plugins}
            </Link>
            <Link className="tab" to="/settings/schemas">
              {admin.schemas}
            </Link>
            <Link className="tab" to="/settings/audit">
              {admin.audit}
            </Link>
          </>
        ) : null}
        <Link className="tab" to="/settings/about">
          {shell.about}
        </Link>
      </nav>
      <Outlet />
    </Page>
  )
}
