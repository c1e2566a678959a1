import { Button, Group } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Dialog } from '../components/dialog'
import { useStrings } from '../language'

type LeaveGuardProps = {
  /** Asked at that moment. */
  isDirty: () => boolean
  /** For a page that outlives a change of its search: tries to save before anybody is asked. */
  save?: () => Promise<unknown>
}

/** Asks before what was typed is lost by going elsewhere. */
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
