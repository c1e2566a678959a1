import { Button } from '@mantine/core'
import { useStrings } from '../../language'

type ImportActionsProps = {
  isBusy: boolean
  check: () => void
  /** Absent in a form, which imports when it is submitted. */
  importNow?: () => void
}

export function ImportActions({ isBusy, check, importNow }: ImportActionsProps) {
  const { transfer } = useStrings()
  return (
    <div className="row-actions import-actions">
      <Button
        variant="default"
        aria-disabled={isBusy}
        onClick={({ currentTarget }) => isBusy || currentTarget.form?.reportValidity() === false || check()}
      >
        {transfer.dryRun}
      </Button>
      <Button
        type={importNow ? 'button' : 'submit'}
        className="submit"
        aria-disabled={isBusy}
        aria-busy={isBusy}
        onClick={() => isBusy || importNow?.()}
      >
        {transfer.importAction}
      </Button>
    </div>
  )
}
