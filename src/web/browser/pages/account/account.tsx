import { useIsViewing } from '../../api/view-as'
import { Links } from '../../components/sharing/link-list'
import { useStrings } from '../../language'
import { useDocumentTitle } from '../../layout/page'
import { Display } from './display'
import { PasswordPanel } from './password-panel'
import { Profile } from './profile'
import { Sessions } from './sessions'
import { Tokens } from './tokens'

export function AccountPage() {
  const { access, account } = useStrings()
  useDocumentTitle(account.title)
  if (useIsViewing()) return <p className="soft">{access.notWhileViewing}</p>
  return (
    <>
      <Profile />
      <Display />
      <Tokens />
      <Links />
      <PasswordPanel />
      <Sessions />
    </>
  )
}
