import { Button, Group } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Dialog } from '../components/dialog'
import { useStrings } from '../language'

type LeaveGuardProps = {
  /** Called when the user navigates. */
  isDirty: () => boolean
  /** For a page that stays mounted when its search changes: tries to save before asking. */
  save?: () => Promise<unknown>
}

/** Asks before navigation discards unsaved changes. */
export function LeaveGuard({ isDirty, save }: LeaveGuardProps) {
  const { record } = useStrings()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if ((save && current.pathname === next.pathname) || !isDirty()) return false
      await save?.()
      return isDirty()
    },
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <Dialog title={record.leave} isOpen={status === 'blocked'} close={() => reset?.()}>
      <div className="form">
        <p>{record.leaveText}</p>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={() => proceed?.()}>
            {record.leaveAction}
          </Button>
          <Button onClick={() => reset?.()} data-autofocus>
            {record.stay}
          </Button>
        </Group>
      </div>
    </Dialog>
  )
}
