import { Button, Group } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Dialog } from '../components/dialog'
import { useStrings } from '../language'

type LeaveGuardProps = {
  /** Called when the user navigates. */
  isDirty: () => boolean
  /** For a page that stays mounted when its search changes: tries to save before asking. */
  save?: () => Promise<unknown>
  /** Whether the page stays mounted when its search changes. */
  staysOnPage?: boolean
}

/** Asks before navigation discards unsaved changes. */
export function LeaveGuard({ isDirty, save, staysOnPage = save !== undefined }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if ((staysOnPage && current.pathname === next.pathname) || !isDirty()) return false
      await save?.()
      return isDirty()
    },
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return <LeaveDialog isOpen={status === 'blocked'} leave={() => proceed?.()} stay={() => reset?.()} />
}

/** Asks whether unsaved changes may be discarded. */
export function LeaveDialog({ isOpen, leave, stay }: { isOpen: boolean; leave: () => void; stay: () => void }) {
  const { record } = useStrings()
  return (
    <Dialog title={record.leave} isOpen={isOpen} close={stay}>
      <div className="form">
        <p>{record.leaveText}</p>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={leave}>
            {record.leaveAction}
          </Button>
          <Button onClick={stay} data-autofocus>
            {record.stay}
          </Button>
        </Group>
      </div>
    </Dialog>
  )
}
