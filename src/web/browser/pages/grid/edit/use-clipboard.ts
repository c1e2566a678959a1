import { type RefObject, useContext, useEffect } from 'react'
import { useStrings } from '../../../language'
import { linkSource } from '../data/cell-kinds'
import { type GridColumn, toPlainText } from '../data/cell-values'
import { LinkLabelsContext } from '../data/link-labels'
import type { RecordPages } from '../data/record-pages'
import { rangeOf, type Selection } from '../view/cell-selection'
import type { PlacedColumn } from '../view/column-layout'
import { displayedValue } from '../view/grid'
import type { Notifier } from '../view/use-notice'
import { toClipboardText } from './cell-input'
import { type CopiedLink, copiedLinksType, parseCopiedLinks, parseTsv, toHtmlTable, toTsv } from './clipboard-formats'
import { isLinkColumn } from './link-names'
import { maxCells } from './use-ranges'

type ClipboardOptions = {
  frame: RefObject<HTMLElement | null>
  records: RecordPages
  columns: PlacedColumn[]
  selection: Selection
  notifier: Notifier
  paste: (block: string[][], links: ReturnType<typeof parseCopiedLinks>) => void
  clear: () => void
}

/** Copies, cuts and pastes ranges while a cell, not an editor, has the focus. */
export function useClipboard({ frame, records, columns, selection, notifier, paste, clear }: ClipboardOptions) {
  const { grid } = useStrings()
  const labels = useContext(LinkLabelsContext)
  useEffect(() => {
    const isHere = ({ target }: ClipboardEvent) =>
      target instanceof Element && frame.current?.contains(target) && target.closest('[data-row]') && !target.closest('.grid-editor')
    const copy = (event: ClipboardEvent) => {
      const range = rangeOf(selection)
      if (!isHere(event) || selection.active.row < 0) return
      event.preventDefault()
      if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > maxCells) return notifier.show(grid.tooManyCells(maxCells))
      const lines = Array.from({ length: range.bottom - range.top + 1 }, (_, line) => range.top + line)
      // The browser reads the clipboard data synchronously.
      if (lines.some((line) => !records.rowAt(line))) {
        void records.range(range.top, range.bottom).catch(notifier.showError)
        return notifier.show(grid.stillLoading)
      }
      const copied = columns.slice(range.left, range.right + 1).map(({ column }) => column)
      const linkAt = (line: number, column: GridColumn) => copiedLink(displayedValue(records, line, column), column)
      const textAt = (line: number, column: GridColumn) =>
        records.rowAt(line)?.refused?.[column.name]?.text ??
        linkAt(line, column)
          ?.keys.map((key) => labels.labelOf(linkSource(column), key) ?? key)
          .join(', ') ??
        toClipboardText(displayedValue(records, line, column), column)
      const block = lines.map((line) => copied.map((column) => textAt(line, column)))
      event.clipboardData?.setData('text/plain', toTsv(block))
      event.clipboardData?.setData('text/html', toHtmlTable(block))
      const links = lines.map((line) => copied.map((column) => linkAt(line, column) ?? null))
      event.clipboardData?.setData(copiedLinksType, JSON.stringify(links))
      notifier.show(grid.cellsCopied(block.length * (block[0]?.length ?? 0)))
      if (event.type === 'cut') clear()
    }
    const insert = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!isHere(event) || selection.active.row < 0 || selection.active.column < 0 || text === '') return
      event.preventDefault()
      paste(parseTsv(text), parseCopiedLinks(event.clipboardData?.getData(copiedLinksType) ?? ''))
    }
    const listeners = { copy, cut: copy, paste: insert }
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name as 'copy', listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name as 'copy', listener)
    }
  })
}

function copiedLink(value: unknown, column: GridColumn): CopiedLink | undefined {
  if (!isLinkColumn(column) || value === null || value === undefined) return undefined
  return { source: linkSource(column), keys: [value].flat().map(toPlainText) }
}
