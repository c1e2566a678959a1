import { type DragEvent, type MouseEvent, useRef, useState } from 'react'
import { type CellPosition, isSamePosition, type Selection } from '../model/cell-selection'
import { type GridActions, positionOf } from './use-grid-keys'

const fileIdOf = ({ target }: MouseEvent): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-file]')?.dataset.file : undefined

/**
 * Files that are dragged over the grid mark the cell that takes them, and a drop uploads them. A click on a file of the
 * active cell opens it, so a double click does, too.
 */
export function useFileEvents({ active, head }: Selection, { fileTarget, uploadFiles, viewFiles }: GridActions) {
  const [target, setTarget] = useState<CellPosition | null>(null)
  const wasActive = useRef(false)
  const mark = (place: CellPosition | null) => setTarget((before) => (isSamePosition(before, place) ? before : place))
  const targetOf = (event: DragEvent) => (event.dataTransfer.types.includes('Files') ? fileTarget(positionOf(event)) : null)
  const events = {
    onDragOver: (event: DragEvent) => {
      const place = targetOf(event)
      if (place) event.preventDefault()
      mark(place)
    },
    onDragLeave: (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) mark(null)
    },
    onDrop: (event: DragEvent) => {
      const place = targetOf(event)
      mark(null)
      if (!place) return
      event.preventDefault()
      uploadFiles(place, [...event.dataTransfer.files])
    },
    onMouseDownCapture: (event: MouseEvent) => {
      const place = positionOf(event)
      wasActive.current = event.button === 0 && !event.shiftKey && isSamePosition(place, active) && isSamePosition(place, head)
    },
    onClickCapture: (event: MouseEvent) => {
      const [place, fileId] = [positionOf(event), fileIdOf(event)]
      if (place && fileId && wasActive.current) viewFiles(place, fileId)
    },
    onDoubleClickCapture: (event: MouseEvent) => {
      if (fileIdOf(event)) event.stopPropagation()
    },
  }
  return { events, target }
}
