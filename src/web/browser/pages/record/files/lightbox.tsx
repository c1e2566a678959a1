import { ActionIcon, Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { toApiError } from '../../../api/api-error'
import { send } from '../../../api/client'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { PdfPreview } from './pdf-preview'

const textTypes = ['text/plain', 'text/csv', 'text/markdown', 'application/json', 'application/xml', 'text/xml']
const maxTextBytes = 500_000

export const isPdfFile = ({ type }: FileView): boolean => type === 'application/pdf'

/** Whether the light box shows the content of a file. Other files open in a separate tab. */
export const hasPreview = (file: FileView): boolean =>
  file.width !== undefined || isPdfFile(file) || (textTypes.includes(file.type.split(';')[0]!) && file.size <= maxTextBytes)

type LightboxProps = {
  files: readonly FileView[]
  /** The index of the displayed file; null while the light box is closed. */
  index: number | null
  setIndex: (index: number | null) => void
}

/**
 * The files of a cell in full size. Arrow keys switch between them. It stays rendered while its page shows files, even
 * when it is closed, so that the dialog knows where the focus came from.
 */
export function Lightbox({ files, index, setIndex }: LightboxProps) {
  const { shell } = useStrings()
  const file = index === null ? undefined : files[Math.min(index, files.length - 1)]
  const go = (steps: number) => setIndex((index! + steps + files.length) % files.length)
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') go(-1)
    if (key === 'ArrowRight') go(1)
  }
  return (
    <Modal
      opened={file !== undefined}
      onClose={() => setIndex(null)}
      fullScreen
      className="light-box"
      title={file?.name}
      closeButtonProps={{ 'aria-label': shell.close }}
      onKeyDown={press}
    >
      {file ? <Preview file={file} place={files.indexOf(file) + 1} count={files.length} go={go} /> : null}
    </Modal>
  )
}

type PreviewProps = { file: FileView; place: number; count: number; go: (steps: number) => void }

function Preview({ file, place, count, go }: PreviewProps) {
  const { record } = useStrings()
  return (
    <>
      <div className="light-box-file">
        {!hasPreview(file) ? (
          <OtherFile file={file} />
        ) : isPdfFile(file) ? (
          <PdfPreview key={file.id} file={file} fallback={<OpenFile file={file} />} />
        ) : file.width === undefined ? (
          <TextPreview key={file.id} file={file} />
        ) : (
          <img key={file.id} src={`${file.url}?size=large`} alt={file.name} width={file.width} height={file.height} />
        )}
      </div>
      <div className="light-box-bar">
        <ActionIcon variant="default" size="lg" aria-label={record.previousFile} onClick={() => go(-1)} disabled={count < 2}>
          <Icon name="left" />
        </ActionIcon>
        <span aria-live="polite">{record.position(place, count)}</span>
        <ActionIcon variant="default" size="lg" aria-label={record.nextFile} onClick={() => go(1)} disabled={count < 2}>
          <Icon name="right" />
        </ActionIcon>
        <Button component="a" href={`${file.url}?download`} variant="default" leftSection={<Icon name="download" size={16} />}>
          {record.download}
        </Button>
      </div>
    </>
  )
}

function OtherFile({ file }: { file: FileView }) {
  const { record } = useStrings()
  return (
    <div className="light-box-other">
      <p>{record.noPreview}</p>
      <OpenFile file={file} />
    </div>
  )
}

function OpenFile({ file }: { file: FileView }) {
  const { record } = useStrings()
  return (
    <Button component="a" href={file.url} target="_blank" rel="noreferrer" variant="default">
      {record.openFile(file.name)}
    </Button>
  )
}

function TextPreview({ file }: { file: FileView }) {
  const { record, shell } = useStrings()
  const { data: text, error } = useQuery({
    queryKey: ['file-text', file.id],
    queryFn: async ({ signal }) => {
      const response = await send(file.url, { signal })
      if (!response.ok) throw await toApiError(response)
      return response.text()
    },
  })
  if (error) return <p role="alert">{record.noPreview}</p>
  // biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled with the keyboard
  return text === undefined ? <p className="soft">{shell.loading}</p> : <pre tabIndex={0}>{text}</pre>
}
