import { Button } from '@mantine/core'
import { type DragEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import type { ColumnInfo } from '../../../records/values/column'

type FileDropProps = {
  column: ColumnInfo
  /** Null if files cannot be added. */
  add: ((files: Iterable<File>) => void) | null
  takesPaste: boolean
  children: ReactNode
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

/** A drop zone for files, with paste support and a button. */
export function FileDrop({ column, add, takesPaste, children }: FileDropProps) {
  const { record } = useStrings()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const labelId = useId()
  const { accept, maxFiles } = column.options as { accept?: string[]; maxFiles?: number }
  usePastedFiles(takesPaste ? add : null)
  const over = (event: DragEvent) => {
    if (!add || !hasFiles(event)) return
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    setOver(false)
    if (!add || !hasFiles(event)) return
    event.preventDefault()
    add([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button serves everyone
    <div className="files" data-over={isOver} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <div className="files-head">
        <span id={labelId} className="field-label">
          {column.name}
        </span>
        {add ? (
          <>
            <span className="soft only-wide">{isOver ? record.dropHere : record.dropOrPaste}</span>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Icon name="plus" size={15} />}
              aria-describedby={labelId}
              onClick={() => input.current?.click()}
            >
              {record.addFiles}
            </Button>
          </>
        ) : null}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        multiple={maxFiles !== 1}
        accept={accept?.join(',')}
        onChange={(event) => {
          add?.([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
      {children}
    </div>
  )
}

/** Adds files that are pasted anywhere on the page, unless the clipboard has text. */
function usePastedFiles(add: FileDropProps['add']) {
  const current = useRef(add)
  current.current = add
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      const text = event.clipboardData?.getData('text/plain')
      // A spreadsheet adds a picture of the cells to their text, and macOS adds the name of a file to the file.
      if (!files[0] || !current.current || (text && !text.includes(files[0].name))) return
      event.preventDefault()
      current.current(files)
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [])
}
