import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { Display } from './display'
import { PasswordPanel } from './password-panel'
import { Profile } from './profile'
import { Sessions } from './sessions'
import { Tokens } from './tokens'

export function AccountPage() {
  const { account } = useStrings()
  useDocumentTitle(account.title)
  return (
    <>
      <Profile />
      <Display />
      <Tokens />
      <PasswordPanel />
      <Sessions />
    </>
  )
}
