import { Button } from '@mantine/core'
import type { ReactNode } from 'react'

type SaveBarProps = { action: string; isBusy: boolean; isIdle: boolean; state: string; children?: ReactNode }

/** The bar with the save button, fixed at the bottom of the window while there is something to save. */
export const SaveBar = ({ action, isBusy, isIdle, state, children }: SaveBarProps) => (
  <div className={isIdle ? 'save-bar is-idle' : 'save-bar'}>
    <span className="soft save-state" role="status">
      {state}
    </span>
    {children}
    {/* Not `disabled`: that would take the focus away from keyboard users. */}
    <Button type="submit" className="submit" variant={isIdle ? 'default' : 'filled'} aria-busy={isBusy} aria-disabled={isBusy || isIdle}>
      {action}
    </Button>
  </div>
)
