import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { User } from '../../../auth/model'
import { Refusal } from '../api/api-error'
import { api, take } from '../api/client'
import { leave } from '../api/queries'
import { setWorking } from '../api/session-expiry'
import { Icon } from '../components/icon'
import { LateMenu } from '../components/lazy-menu'
import { chooseLanguage, type Language, languages, useLanguage, useStrings } from '../language'

export function UserMenu({ user }: { user: User }) {
  const { shell } = useStrings()
  return (
    <LateMenu
      width={240}
      button={
        <UnstyledButton className="account-button" aria-label={shell.accountOf(user.name, user.email)}>
          <span className="initials" data-initials={initials(user.name)} aria-hidden="true" />
          <span className="account-name only-wide" aria-hidden="true">
            {user.name}
          </span>
          <Icon name="chevron" size={14} />
        </UnstyledButton>
      }
    >
      <Menu.Label>{user.email}</Menu.Label>
      <Menu.Item component={Link} to="/settings/account" leftSection={<Icon name="user" size={16} />}>
        {shell.myAccount}
      </Menu.Item>
      <Menu.Item component={Link} to="/settings/about" leftSection={<Icon name="info" size={16} />}>
        {shell.about}
      </Menu.Item>
      <Menu.Divider />
      <SchemeItems />
      <Menu.Divider />
      <LanguageItems />
      <Menu.Divider />
      <SignOutItem />
    </LateMenu>
  )
}

const initials = (name: string) =>
  name
    .split(/[\s@.]+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()

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
    <Menu.RadioGroup value={useLanguage()} onChange={(language) => void chooseLanguage(language as Language)}>
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
  async function signOut() {
    // A session that is over already is no reason to ask for another one.
    setWorking(false)
    try {
      await take(api.auth.logout.post())
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) throw error
    }
    await navigate({ to: '/sign-in' })
    leave()
  }
  return (
    <Menu.Item leftSection={<Icon name="leave" size={16} />} onClick={() => void signOut()}>
      {shell.signOut}
    </Menu.Item>
  )
}
