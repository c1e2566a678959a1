import { Button, Group } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { Dialog } from '../../components/dialog'
import { useStrings } from '../../language'

/** Asks before what was typed is lost by going elsewhere. @param isDirty asked at that moment */
export function LeaveGuard({ isDirty }: { isDirty: RefObject<boolean> }) {
  const { record } = useStrings()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isDirty.current,
    enableBeforeUnload: () => isDirty.current,
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
