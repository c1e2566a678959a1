import { Button } from '@mantine/core'
import { useState } from 'react'
import type { User } from '../../../auth/model'
import { toErrorMessage } from '../api/api-error'
import { stopViewAs } from '../api/view-as'
import { Icon } from '../components/icon'
import { useStrings } from '../language'

/** Shows on every page that an administrator views Rowhouse as the user, and offers to end that. */
export function ViewBanner({ user }: { user: User }) {
  const strings = useStrings()
  const { access } = strings
  const [failure, setFailure] = useState<unknown>(null)
  return (
    <section className="view-banner" aria-label={access.look}>
      <Icon name="eye" size={18} />
      <p>
        {access.viewing(user.name || user.email)}
        <span role="alert">{failure ? ` ${toErrorMessage(failure, strings)}` : ''}</span>
      </p>
      <Button size="compact-sm" variant="white" onClick={() => void stopViewAs().catch(setFailure)}>
        {access.stopViewAs}
      </Button>
    </section>
  )
}
