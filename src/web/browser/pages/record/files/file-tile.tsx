import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { formatBytes } from '../../../values/format'
import { isPdfFile } from './lightbox'

type FileTileProps = { file: FileView; open?: () => void; remove?: () => void }

/** One file: thumbnail, name and actions. */
export function FileTile({ file, open, remove }: FileTileProps) {
  const { record } = useStrings()
  const preview = <Preview file={file} />
  return (
    <li className="tile">
      {open ? (
        <button type="button" className="tile-picture" aria-label={record.view(file.name)} onClick={open}>
          {preview}
        </button>
      ) : (
        <a className="tile-picture" href={file.url} target="_blank" rel="noreferrer" aria-label={record.openFile(file.name)}>
          {preview}
        </a>
      )}
      <span className="tile-name" title={file.name}>
        {file.name}
      </span>
      <span className="facts tile-size">{formatBytes(file.size)}</span>
      <span className="tile-actions">
        <ActionIcon
          component="a"
          href={`${file.url}?download`}
          variant="subtle"
          color="gray"
          aria-label={record.downloadNamed(file.name)}
          title={record.download}
        >
          <Icon name="download" size={16} />
        </ActionIcon>
        {remove ? (
          <ActionIcon variant="subtle" color="gray" aria-label={record.removeNamed(file.name)} title={record.remove} onClick={remove}>
            <Icon name="trash" size={16} />
          </ActionIcon>
        ) : null}
      </span>
    </li>
  )
}

/** Damaged or very large images and PDFs with a password have no thumbnail. */
function Preview({ file }: { file: FileView }) {
  const [isMissing, setMissing] = useState(false)
  if ((file.width !== undefined || isPdfFile(file)) && !isMissing) {
    const className = isPdfFile(file) ? 'is-page' : undefined
    return <img className={className} src={`${file.url}?size=small`} alt="" loading="lazy" onError={() => setMissing(true)} />
  }
  return (
    <span className="tile-kind">
      <Icon name="file" size={24} />
      <span className="facts">{file.name.split('.').at(-1)?.slice(0, 5).toUpperCase()}</span>
    </span>
  )
}
