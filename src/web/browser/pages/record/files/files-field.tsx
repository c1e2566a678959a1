import { Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { toApiError } from '../../../api/api-error'
import { send } from '../../../api/client'
import { ConfirmDialog } from '../../../components/confirm-dialog'
import { useStrings } from '../../../language'
import { uploadQueue } from '../../../records/mutations/upload-queue'
import { useUploads } from '../../../records/mutations/uploads'
import type { ColumnInfo } from '../../../records/values/column'
import { FileDrop } from './file-drop'
import { FileTile } from './file-tile'
import { hasPreview, Lightbox } from './lightbox'
import { UploadList } from './upload-list'

type FilesFieldProps = {
  column: ColumnInfo
  files: readonly FileView[]
  /** The URL of the cell. */
  path: string
  isReadOnly: boolean
  /** Whether this field receives files that are pasted anywhere on the page. */
  takesPaste: boolean
  reload: () => Promise<unknown>
}

/** The files of a cell. Each change is saved immediately. */
export function FilesField({ column, files, path, isReadOnly, takesPaste, reload }: FilesFieldProps) {
  const { record } = useStrings()
  const uploads = useUploads(path)
  // Another component may have started uploads to the cell.
  const isUploading = uploads.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cell has another queue when uploads have begun
  const queue = useMemo(() => uploadQueue(path), [path, isUploading])
  useEffect(() => {
    queue.onStored = reload
  }, [queue, reload])
  const [openIndex, setOpenIndex] = useState<number | null>(null)
  const [removed, setRemoved] = useState<FileView | null>(null)
  const remove = async () => {
    const response = await send(removed!.url, { method: 'DELETE' })
    if (!response.ok && response.status !== 404) throw await toApiError(response)
    await reload()
  }
  const previews = files.filter(hasPreview)
  return (
    <FileDrop column={column} add={isReadOnly ? null : queue.add} takesPaste={takesPaste}>
      {files.length === 0 && uploads.length === 0 && isReadOnly ? <p className="soft">{record.noFiles}</p> : null}
      <ul className="tiles" aria-label={record.filesOf(column.name)}>
        {files.map((file) => (
          <FileTile
            key={file.id}
            file={file}
            open={hasPreview(file) ? () => setOpenIndex(previews.indexOf(file)) : undefined}
            remove={isReadOnly ? undefined : () => setRemoved(file)}
          />
        ))}
      </ul>
      <UploadList uploads={uploads} cancel={queue.cancel} retry={queue.retry} />
      <Lightbox files={previews} index={openIndex} setIndex={setOpenIndex} />
      <ConfirmDialog
        isOpen={removed !== null}
        close={() => setRemoved(null)}
        title={record.removeFile}
        text={record.removeFileText(removed?.name ?? '')}
        action={record.remove}
        onConfirm={remove}
      />
    </FileDrop>
  )
}

/** For a new record: the files are uploaded after it is created. */
export function PendingFilesField({
  column,
  files,
  change,
}: {
  column: ColumnInfo
  files: readonly File[]
  change: (files: File[]) => void
}) {
  const { record } = useStrings()
  return (
    <FileDrop column={column} add={(added) => change([...files, ...added])} takesPaste={false}>
      <ul className="uploads" aria-label={record.filesOf(column.name)}>
        {files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice and has no other identity
          <li key={index} className="upload">
            <span className="upload-name">{file.name}</span>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={record.removeNamed(file.name)}
              onClick={() => change(files.filter((_each, place) => place !== index))}
            >
              {record.remove}
            </Button>
          </li>
        ))}
      </ul>
    </FileDrop>
  )
}
