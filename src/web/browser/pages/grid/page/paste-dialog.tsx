import { Button, Group } from '@mantine/core'
import { CancelButton, Dialog } from '../../../components/dialog'
import { useStrings } from '../../../language'
import type { MissingNamesQuestion, PasteQuestion } from '../edit/paste'
import type { Ranges } from '../edit/use-ranges'

type PasteDialogsProps = Pick<Ranges, 'question' | 'closeQuestion' | 'missingNames' | 'closeMissingNames'>

/** The questions that a paste asks before it writes. */
export const PasteDialogs = ({ question, closeQuestion, missingNames, closeMissingNames }: PasteDialogsProps) => (
  <>
    <PasteDialog question={question} close={closeQuestion} />
    <MissingNamesDialog question={missingNames} close={closeMissingNames} />
  </>
)

type PasteDialogProps = { question: PasteQuestion | null; close: () => void }

/** Asks before a paste adds many records. */
function PasteDialog({ question, close }: PasteDialogProps) {
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
        <Group gap="xs" justify="flex-end">
          <Button onClick={paste} data-autofocus>
            {grid.pasteAction(rows)}
          </Button>
          <CancelButton close={close} />
        </Group>
      </div>
    </Dialog>
  )
}

const maxShown = 10

/** Asks whether to create linked records for pasted names. */
function MissingNamesDialog({ question, close }: { question: MissingNamesQuestion | null; close: () => void }) {
  const { grid } = useStrings()
  const missing = question?.missing ?? []
  const count = missing.reduce((sum, { names }) => sum + names.length, 0)
  const choose = (act: (() => void) | undefined) => () => {
    close()
    act?.()
  }
  return (
    <Dialog title={grid.missingNamesTitle(count)} isOpen={question !== null} close={close}>
      <div className="form">
        {missing.map(({ table, names }) => (
          <p key={table.id}>
            {grid.missingNamesText(table.name)} {names.slice(0, maxShown).join(', ')}
            {names.length > maxShown ? ' …' : ''}
          </p>
        ))}
        <Group gap="xs" justify="flex-end">
          <Button onClick={choose(() => void question?.create())} data-autofocus>
            {grid.missingNamesCreate(count)}
          </Button>
          <Button variant="default" onClick={choose(question?.skip)}>
            {grid.missingNamesSkip}
          </Button>
          <CancelButton close={close} />
        </Group>
      </div>
    </Dialog>
  )
}
