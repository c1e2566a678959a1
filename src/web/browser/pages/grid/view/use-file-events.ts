import { type DragEvent, type MouseEvent, useRef, useState } from 'react'
import { type CellPosition, isSamePosition, type Selection } from '../model/cell-selection'
import { type GridActions, positionOf } from './use-grid-keys'

const fileIdOf = ({ target }: MouseEvent): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-file]')?.dataset.file : undefined

/**
 * Dragging files over the grid marks the cell that takes them; dropping uploads them. A click on a file of the active
 * cell opens it, so a double click does, too.
 */
export function useFileEvents({ active, head }: Selection, { fileTarget, uploadFiles, viewFiles }: GridActions) {
  const [target, setTarget] = useState<CellPosition | null>(null)
  const wasActive = useRef(false)
  const mark = (position: CellPosition | null) => setTarget((before) => (isSamePosition(before, position) ? before : position))
  const targetOf = (event: DragEvent) => (event.dataTransfer.types.includes('Files') ? fileTarget(positionOf(event)) : null)
  const events = {
    onDragOver: (event: DragEvent) => {
      const position = targetOf(event)
      if (position) event.preventDefault()
      mark(position)
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) mark(null)
    },
    onDrop: (event: DragEvent) => {
      const position = targetOf(event)
      mark(null)
      if (!position) return
      event.preventDefault()
      uploadFiles(position, [...event.dataTransfer.files])
    },
    onMouseDownCapture: (event: MouseEvent) => {
      const position = positionOf(event)
      wasActive.current = event.button === 0 && !event.shiftKey && isSamePosition(position, active) && isSamePosition(position, head)
    },
    onClickCapture: (event: MouseEvent) => {
      const [position, fileId] = [positionOf(event), fileIdOf(event)]
      if (position && fileId && wasActive.current) viewFiles(position, fileId)
    },
    onDoubleClickCapture: (event: MouseEvent) => {
      if (fileIdOf(event)) event.stopPropagation()
    },
  }
  return { events, target }
}
