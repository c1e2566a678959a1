import { Button } from '@mantine/core'
import { toErrorMessage } from '../../../api/api-error'
import { useStrings } from '../../../language'
import type { Upload } from '../../../records/mutations/uploads'
import { formatBytes } from '../../../values/format'

type UploadListProps = { uploads: readonly Upload[]; cancel: (id: number) => void; retry: (id: number) => void }

/** Running and failed uploads with their progress. */
export function UploadList({ uploads, cancel, retry }: UploadListProps) {
  const { record } = useStrings()
  if (uploads.length === 0) return null
  return (
    <ul className="uploads" aria-label={record.uploads}>
      {uploads.map((upload) => (
        <li key={upload.id} className="upload">
          <span className="upload-name">
            {upload.file.name} <span className="facts">{formatBytes(upload.file.size)}</span>
          </span>
          <Progress upload={upload} />
          {upload.state === 'failed' ? (
            <Button size="compact-xs" variant="default" onClick={() => retry(upload.id)}>
              {record.retry}
            </Button>
          ) : null}
          <Button size="compact-xs" variant="default" aria-label={record.cancelNamed(upload.file.name)} onClick={() => cancel(upload.id)}>
            {upload.state === 'failed' ? record.dismiss : record.cancelUpload}
          </Button>
        </li>
      ))}
    </ul>
  )
}

function Progress({ upload: { file, share, state, failure } }: { upload: Upload }) {
  const strings = useStrings()
  if (state === 'failed') {
    return (
      <span role="alert" className="alert">
        {toErrorMessage(failure, strings)}
      </span>
    )
  }
  return <progress className="upload-progress" max={1} value={share} aria-label={strings.record.progressOf(file.name)} />
}
