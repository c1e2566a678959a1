import { type RefObject, useEffect } from 'react'
import { useStrings } from '../../../language'
import type { Records } from '../data/record-pages'
import { rangeOf, type Selection } from '../view/cell-selection'
import type { Placed } from '../view/column-layout'
import { shownValue } from '../view/grid'
import type { Tell } from '../view/use-notice'
import { copiedText } from './cell-input'
import { readTsv, writeHtml, writeTsv } from './clipboard-formats'
import { mostCells } from './use-editing'

type Clipboard = {
  frame: RefObject<HTMLElement | null>
  records: Records
  columns: Placed[]
  selection: Selection
  tell: Tell
  paste: (block: string[][]) => void
  clear: () => void
}

/** Copies, cuts and pastes ranges, as long as the focus is on a cell and not in a field. */
export function useClipboard({ frame, records, columns, selection, tell, paste, clear }: Clipboard) {
  const { grid } = useStrings()
  useEffect(() => {
    const isHere = ({ target }: ClipboardEvent) =>
      target instanceof Element && frame.current?.contains(target) && target.closest('[data-row]') && !target.closest('.grid-editor')
    const copy = (event: ClipboardEvent) => {
      const range = rangeOf(selection)
      if (!isHere(event) || selection.active.row < 0) return
      event.preventDefault()
      if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > mostCells) return tell.say(grid.tooManyCells(mostCells))
      const lines = Array.from({ length: range.bottom - range.top + 1 }, (_, line) => range.top + line)
      // The browser takes only what is there at once.
      if (lines.some((line) => !records.rowAt(line))) {
        void records.range(range.top, range.bottom)
        return tell.say(grid.stillLoading)
      }
      const block = lines.map((line) =>
        columns.slice(range.left, range.right + 1).map(({ column }) => copiedText(shownValue(records, line, column), column)),
      )
      event.clipboardData?.setData('text/plain', writeTsv(block))
      event.clipboardData?.setData('text/html', writeHtml(block))
      tell.say(grid.cellsCopied(block.length * (block[0]?.length ?? 0)))
      if (event.type === 'cut') clear()
    }
    const insert = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!isHere(event) || selection.active.row < 0 || selection.active.column < 0 || text === '') return
      event.preventDefault()
      paste(readTsv(text))
    }
    const listeners = { copy, cut: copy, paste: insert }
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name as 'copy', listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name as 'copy', listener)
    }
  })
}
