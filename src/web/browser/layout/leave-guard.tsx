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
  /** Saves if the user chooses that in the dialog. `isDirty` then tells whether the changes have been saved. */
  saveChanges?: () => Promise<unknown>
}

/** Asks before navigation discards unsaved changes. */
export function LeaveGuard({ isDirty, save, staysOnPage = save !== undefined, saveChanges }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if ((staysOnPage && current.pathname === next.pathname) || !isDirty()) return false
      await save?.()
      return isDirty()
    },
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  const saveAndLeave = saveChanges && (() => saveChanges().then(() => (isDirty() ? reset?.() : proceed?.())))
  return <LeaveDialog isOpen={status === 'blocked'} leave={() => proceed?.()} stay={() => reset?.()} save={saveAndLeave} />
}

type LeaveDialogProps = {
  isOpen: boolean
  leave: () => void
  stay: () => void
  /** Saves, and leaves if that succeeds. */
  save?: () => Promise<unknown>
}

/** Asks whether unsaved changes may be discarded. */
export function LeaveDialog({ isOpen, leave, stay, save }: LeaveDialogProps) {
  const { record } = useStrings()
  return (
    <Dialog title={record.leave} isOpen={isOpen} close={stay}>
      <div className="form">
        <p>{record.leaveText}</p>
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={leave}>
            {record.leaveAction}
          </Button>
          <Button variant={save ? 'default' : 'filled'} onClick={stay} data-autofocus={save ? undefined : true}>
            {record.stay}
          </Button>
          {save ? (
            <Button onClick={() => void save()} data-autofocus>
              {record.save}
            </Button>
          ) : null}
        </Group>
      </div>
    </Dialog>
  )
}
