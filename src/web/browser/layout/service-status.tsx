import { useNetwork } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'
import { useStrings } from '../language'
import { subscribeToUnsaved, unsentCount } from '../session/unsaved-changes'
import { SessionExpiredDialog } from './expired-dialog'

/** Status messages of the whole window, shown over every page. */
export function ServiceStatus() {
  const { shell } = useStrings()
  const { online } = useNetwork()
  const unsent = useSyncExternalStore(subscribeToUnsaved, unsentCount)
  const message = unsent ? shell.unsent(unsent) : online ? '' : shell.offline
  return (
    <>
      {message ? (
        <p className="offline" role="status">
          {message}
        </p>
      ) : null}
      <SessionExpiredDialog />
    </>
  )
}
