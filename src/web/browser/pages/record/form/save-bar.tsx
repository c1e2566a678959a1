import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

type SaveBarProps = { action: string; isBusy: boolean; isIdle: boolean; state: string; children?: ReactNode }

/** At the lower edge of the form, always in the same place. */
export const SaveBar = ({ action, isBusy, isIdle, state, children }: SaveBarProps) => (
  <div className="save-bar">
    <span className="soft save-state" role="status">
      {state}
    </span>
    {children}
    {/* Not `disabled`: that would take the focus away from people who use the keyboard. */}
    <Button type="submit" className="submit" variant={isIdle ? 'default' : 'filled'} aria-busy={isBusy} aria-disabled={isBusy || isIdle}>
      {action}
    </Button>
  </div>
)
