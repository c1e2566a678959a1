import { Link, Outlet } from '@tanstack/react-router'
import { useStrings } from '../../language'
import { Page } from '../../layout/page'

/** The frame of all settings; each page below is one of the tabs. */
export function SettingsPage() {
  const { shell } = useStrings()
  return (
    <Page title={shell.settings} isNarrow>
      <nav className="tabs" aria-label={shell.settings}>
        <Link className="tab" to="/settings/account">
          {shell.myAccount}
        </Link>
        <Link className="tab" to="/settings/about">
          {shell.about}
        </Link>
      </nav>
      <Outlet />
    </Page>
  )
}
