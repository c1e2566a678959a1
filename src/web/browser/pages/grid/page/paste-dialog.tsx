import { Button } from '@mantine/core'
import { CancelButton, Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'

type PasteDialogProps = { question: { rows: number; paste: () => void } | null; close: () => void }

/** Asks before a paste adds many records. */
export function PasteDialog({ question, close }: PasteDialogProps) {
  const { grid } = useStrings()
  const rows = question?.rows ?? 0
  const paste = () => {
    close()
    question?.paste()
  }
  return (
    <Dialog title={grid.pasteTitle(rows)} isOpen={question !== null} close={close}>
      <div className="form">
        <p>{grid.pasteText}</p>
        <div className="form-actions">
          <Button onClick={paste} data-autofocus>
            {grid.pasteAction(rows)}
          </Button>
          <CancelButton close={close} />
        </div>
      </div>
    </Dialog>
  )
}
