import { toErrorMessage } from '../../../api/api-error'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { type Upload, uploadsAt, useUploads } from '../../../records/mutations/uploads'

const namesOf = (uploads: readonly Upload[]) => uploads.map(({ file }) => file.name).join(', ')

/** The uploads of a cell: their progress, and those that failed. @param path of the cell */
export function CellUploads({ path }: { path: string }) {
  const { record } = useStrings()
  const uploads = useUploads(path)
  if (uploads.length === 0) return null
  const failed = uploads.filter(({ state }) => state === 'failed')
  const running = uploads.filter(({ state }) => state !== 'failed')
  const sent = running.reduce((sum, { share }) => sum + share, 0)
  return (
    <span className="grid-uploads">
      {running.length > 0 ? (
        <progress className="upload-progress" max={running.length} value={sent} aria-label={record.progressOf(namesOf(running))} />
      ) : null}
      {failed.length > 0 ? <FailedUploads path={path} failed={failed} /> : null}
    </span>
  )
}

/** For the mouse; keyboard users open the record, which lists failed uploads with the same buttons. */
function FailedUploads({ path, failed }: { path: string; failed: readonly Upload[] }) {
  const strings = useStrings()
  const { record } = strings
  const reason = failed.map(({ file, failure }) => `${file.name}: ${toErrorMessage(failure, strings)}`).join('\n')
  const buttons = [
    { icon: 'refresh', label: record.retry, act: 'retry' },
    { icon: 'close', label: record.dismiss, act: 'cancel' },
  ] as const
  return (
    <>
      <span className="grid-upload-failure" title={reason}>
        <Icon name="warning" size={14} />
        <span className="visually-hidden">{reason}</span>
      </span>
      {buttons.map(({ icon, label, act }) => (
        <button
          key={icon}
          type="button"
          tabIndex={-1}
          title={label}
          aria-label={`${label}: ${namesOf(failed)}`}
          onClick={() => {
            for (const { id } of failed) uploadsAt(path)?.[act](id)
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </>
  )
}
