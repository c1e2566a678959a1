import { useNetwork } from '@mantine/hooks'
import { useStrings } from '../language'
import { ExpiredDialog } from './expired-dialog'

/** What concerns the whole window, over every page. */
export function ServiceMessages() {
  const { shell } = useStrings()
  const { online } = useNetwork()
  return (
    <>
      {online ? null : (
        <p className="offline" role="status">
          {shell.offline}
        </p>
      )}
      <ExpiredDialog />
    </>
  )
}
