import { type DragEvent, useState } from 'react'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import { formatBytes } from '../../values/format'

/** A drop zone with a button to choose a file. */
export function FilePicker({ file, choose }: { file: File | null; choose: (file: File) => void }) {
  const { transfer } = useStrings()
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(event.type === 'dragover')
  }
  const drop = (event: DragEvent) => {
    over(event)
    const [dropped] = event.dataTransfer.files
    if (dropped) choose(dropped)
  }
  return (
    <label className="drop" data-over={isOver} onDragOver={over} onDragLeave={over} onDrop={drop}>
      <span className="state-icon">
        <Icon name="file" size={20} />
      </span>
      <span className="drop-text">
        <b>{file ? file.name : transfer.drop}</b>
        <span className="soft">{file ? `${formatBytes(file.size)} · ${transfer.chooseAnother}` : transfer.dropText}</span>
      </span>
      <input
        className="visually-hidden"
        type="file"
        aria-label={transfer.file}
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        onChange={({ currentTarget }) => currentTarget.files?.[0] && choose(currentTarget.files[0])}
      />
    </label>
  )
}
