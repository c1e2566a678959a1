import { useContext, useEffect } from 'react'
import { textTypes, valueType } from '../../../../../tables/column-types/descriptors'
import { useStrings } from '../../../language'
import { linkSource } from '../../../records/values/cell-kinds'
import { type GridColumn, toPlainText } from '../../../records/values/cell-values'
import { LinkLabelsContext } from '../../../records/values/link-labels'
import { rangeOf } from '../model/cell-selection'
import { displayedValue } from '../model/displayed-value'
import { useGridModel } from '../model/grid-model'
import { toClipboardText } from './cell-input'
import {
  type CopiedCells,
  type CopiedLink,
  copiedCellsType,
  parseCopiedCells,
  parseTsv,
  toClipboardLines,
  toHtmlTable,
} from './clipboard-formats'
import { isLinkColumn } from './link-names'
import { maxCells } from './range-edits'

type ClipboardOptions = { paste: (copied: CopiedCells) => void; pasteFiles: (files: File[]) => void; clear: () => void }

/** Copies, cuts and pastes ranges while a cell, not an editor, has the focus. */
export function useClipboard({ paste, pasteFiles, clear }: ClipboardOptions) {
  const { grid } = useStrings()
  const { frame, records, columns, selection, notifier } = useGridModel()
  const labels = useContext(LinkLabelsContext)
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const range = rangeOf(selection)
      if (!isOfCell(event, frame.current) || selection.active.row < 0) return
      event.preventDefault()
      if ((range.bottom - range.top + 1) * (range.right - range.left + 1) > maxCells) return notifier.show(grid.tooManyCells(maxCells))
      const lines = Array.from({ length: range.bottom - range.top + 1 }, (_, line) => range.top + line)
      const copied = columns.slice(range.left, range.right + 1).map(({ column }) => column)
      const linkAt = (line: number, column: GridColumn) => copiedLink(displayedValue(records, line, column), column)
      const linked = () => lines.flatMap((line) => copied.map((column) => linkAt(line, column) ?? { source: '', keys: [] }))
      const isLoaded = () =>
        lines.every((line) => records.rowAt(line)) && linked().every(({ source, keys }) => keys.every((key) => labels.has(source, key)))
      const load = async () => {
        await records.range(range.top, range.bottom)
        for (const [source, links] of Map.groupBy(linked(), (link) => link.source))
          await labels.load(
            source,
            links.flatMap(({ keys }) => keys),
          )
      }
      const textAt = (line: number, column: GridColumn) =>
        records.rowAt(line)?.refused?.[column.name]?.text ??
        linkAt(line, column)
          ?.keys.map((key) => labels.labelOf(linkSource(column), key) ?? key)
          .join(', ') ??
        toClipboardText(displayedValue(records, line, column), column)
      const mayLookNumeric = (column: number) => textTypes.includes(valueType(copied[column]!))
      const content = (marksText: boolean) => {
        const block = lines.map((line) => copied.map((column) => textAt(line, column)))
        const links = lines.map((line) => copied.map((column) => linkAt(line, column)))
        lastCopied = { text: toClipboardLines(block), cells: { block, links } }
        return { ...lastCopied, html: toHtmlTable(block, marksText ? mayLookNumeric : undefined) }
      }
      const finish = () => {
        notifier.show(grid.cellsCopied(lines.length * copied.length))
        if (event.type === 'cut') clear()
      }
      if (isLoaded()) {
        const { text, html, cells } = content(true)
        event.clipboardData?.setData('text/plain', text)
        event.clipboardData?.setData('text/html', html)
        event.clipboardData?.setData(copiedCellsType, JSON.stringify(cells))
        return finish()
      }
      copyWhenLoaded(async () => {
        await load()
        // The browser sanitizes promised content, and our content security policy would block its styles.
        return content(false)
      }).then((isCopied) => (isCopied ? finish() : notifier.show(grid.stillLoading)), notifier.showError)
    }
    const insert = (event: ClipboardEvent) => {
      const { cells, files } = readClipboard(event.clipboardData)
      if (!isOfCell(event, frame.current) || selection.active.row < 0 || selection.active.column < 0 || (!cells && files.length === 0))
        return
      event.preventDefault()
      if (cells) paste(cells)
      else pasteFiles(files)
    }
    const listeners = { copy, cut: copy, paste: insert }
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name as 'copy', listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name as 'copy', listener)
    }
  })
}

/** Whether a cell, and no editor, has the focus. Firefox sends the events to the body if no text is selected. */
function isOfCell({ target }: ClipboardEvent, grid: HTMLElement | null): boolean {
  const element = target === document.body ? document.activeElement : target
  return (
    element instanceof Element &&
    grid?.contains(element) === true &&
    element.closest('[data-row]') !== null &&
    !element.closest('.grid-editor')
  )
}

/** Pictures have no text. Spreadsheets add a picture of the cells to their text; that picture is not pasted. */
function readClipboard(data: DataTransfer | null): { cells: CopiedCells | null; files: File[] } {
  const text = data?.getData('text/plain') ?? ''
  const cells = parseCopiedCells(data?.getData(copiedCellsType) ?? '') ?? (text === '' ? null : toCopiedCells(text))
  return { cells, files: [...(data?.files ?? [])] }
}

/**
 * The cells copied last. `copyWhenLoaded` cannot write a custom type to the clipboard, and the cell menu cannot read
 * one. If the clipboard has this text, it still holds these cells.
 */
let lastCopied: { text: string; cells: CopiedCells } = { text: '', cells: { block: [], links: [] } }

/** The cells of a text from the clipboard. Windows changes the line breaks in such a text. */
export const toCopiedCells = (text: string): CopiedCells =>
  text.replaceAll('\r\n', '\n') === lastCopied.text.replaceAll('\r\n', '\n') ? lastCopied.cells : { block: parseTsv(text), links: [] }

/**
 * Promises the content to the clipboard while it loads: a clipboard event accepts only content that is available at
 * once.
 */
async function copyWhenLoaded(load: () => Promise<{ text: string; html: string }>): Promise<boolean> {
  const loading = load()
  const blobOf = async (kind: 'text' | 'html', type: string) => new Blob([(await loading)[kind]], { type })
  if (!navigator.clipboard?.write || typeof ClipboardItem === 'undefined') {
    await loading
    return false
  }
  await navigator.clipboard.write([
    new ClipboardItem({ 'text/plain': blobOf('text', 'text/plain'), 'text/html': blobOf('html', 'text/html') }),
  ])
  return true
}

function copiedLink(value: unknown, column: GridColumn): CopiedLink | undefined {
  if (!isLinkColumn(column) || value === null || value === undefined) return undefined
  return { source: linkSource(column), keys: [value].flat().map(toPlainText) }
}
