import { ActionIcon, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import { useUser } from '../api/use-user'
import { useIsViewing } from '../api/view-as'
import { Icon, Mark } from '../components/icon'
import { useLazyMount } from '../components/use-lazy-mount'
import { useStrings } from '../language'
import { KeyboardHelp } from './keyboard-help'
import { Sidebar } from './sidebar/sidebar'
import { UserMenu } from './user-menu'
import { ViewBanner } from './view-banner'

const skip = () => document.querySelector<HTMLElement>('#content')?.focus()

/**
 * The layout of all pages for users: header, list of tables, and content. On narrow screens the list opens from a
 * button.
 */
export function Shell() {
  const user = useUser()
  const isViewing = useIsViewing()
  const { shell } = useStrings()
  const [isOpen, { open, close }] = useDisclosure(false)
  const { isMounted, isShown } = useLazyMount(isOpen)
  return (
    <div className={isViewing ? 'shell is-viewing' : 'shell'}>
      <button type="button" className="skip" onClick={skip}>
        {shell.skipToContent}
      </button>
      {isViewing ? <ViewBanner user={user} /> : null}
      <header className="header">
        <ActionIcon className="only-narrow" variant="subtle" color="gray" size="lg" aria-label={shell.openMenu} onClick={open}>
          <Icon name="menu" />
        </ActionIcon>
        <Link to="/" className="brand">
          <Mark />
          {shell.product}
        </Link>
        <span className="header-space" />
        <KeyboardHelp />
        <UserMenu user={user} />
      </header>
      <nav className="sidebar" aria-label={shell.navigation}>
        <Sidebar user={user} />
      </nav>
      <main className="content" id="content" tabIndex={-1}>
        <Outlet />
      </main>
      {isMounted ? (
        <Drawer opened={isShown} onClose={close} size={300} title={shell.product} closeButtonProps={{ 'aria-label': shell.closeMenu }}>
          <nav aria-label={shell.navigation}>
            <Sidebar user={user} choose={close} />
          </nav>
        </Drawer>
      ) : null}
    </div>
  )
}
