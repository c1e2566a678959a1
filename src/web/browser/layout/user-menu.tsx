import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { User } from '../../../auth/model'
import { beginSignOut } from '../api/sign-out'
import { useIsViewing } from '../api/view-as'
import { Icon } from '../components/icon'
import { Initials } from '../components/initials'
import { LazyMenu } from '../components/lazy-menu'
import { type Language, languages, selectLanguage, useLanguage, useStrings } from '../language'

export function UserMenu({ user }: { user: User }) {
  const { shell } = useStrings()
  const isViewing = useIsViewing()
  return (
    <LazyMenu
      width={240}
      button={
        <UnstyledButton className="account-button" aria-label={shell.accountOf(user.name, user.email)}>
          <Initials name={user.name} />
          <span className="account-name only-wide" aria-hidden="true">
            {user.name}
          </span>
          <Icon name="chevron" size={14} />
        </UnstyledButton>
      }
    >
      <Menu.Label>{user.email}</Menu.Label>
      {isViewing ? null : (
        <Menu.Item component={Link} to="/settings/account" leftSection={<Icon name="user" size={16} />}>
          {shell.myAccount}
        </Menu.Item>
      )}
      {user.role === 'admin' ? (
        <Menu.Item component={Link} to="/settings/users" leftSection={<Icon name="settings" size={16} />}>
          {shell.workspace}
        </Menu.Item>
      ) : null}
      <Menu.Item component={Link} to="/settings/about" leftSection={<Icon name="info" size={16} />}>
        {shell.about}
      </Menu.Item>
      <Menu.Item component="a" href="/swagger" leftSection={<Icon name="code" size={16} />}>
        {shell.api}
      </Menu.Item>
      <Menu.Divider />
      <SchemeItems />
      <Menu.Divider />
      <LanguageItems />
      <Menu.Divider />
      <SignOutItem />
    </LazyMenu>
  )
}

function SchemeItems() {
  const { shell } = useStrings()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const schemes = { light: shell.light, dark: shell.dark, auto: shell.system } as const
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as keyof typeof schemes)}>
      <Menu.Label>{shell.appearance}</Menu.Label>
      {Object.entries(schemes).map(([scheme, text]) => (
        <Menu.RadioItem key={scheme} value={scheme}>
          {text}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  )
}

function LanguageItems() {
  const { shell } = useStrings()
  return (
    <Menu.RadioGroup value={useLanguage()} onChange={(language) => void selectLanguage(language as Language)}>
      <Menu.Label>{shell.language}</Menu.Label>
      {Object.entries(languages).map(([language, name]) => (
        <Menu.RadioItem key={language} value={language} lang={language}>
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  )
}

function SignOutItem() {
  const { shell } = useStrings()
  const navigate = useNavigate()
  const signOut = () => {
    beginSignOut()
    void navigate({ to: '/sign-in' })
  }
  return (
    <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={signOut}>
      {shell.signOut}
    </Menu.Item>
  )
}
