/**
 * The width in pixels that a column needs for its header and its rendered cells.
 * @param header the header cell of the column, in the grid
 */
export function contentWidth(header: HTMLElement): number {
  const grid = header.closest<HTMLElement>('[role="grid"]')!
  const box = document.createElement('div')
  box.className = 'grid-measure'
  for (const cell of grid.querySelectorAll<HTMLElement>(`[data-column="${header.dataset.column}"]`)) {
    const copy = cell.cloneNode(true) as HTMLElement
    for (const name of ['data-row', 'data-column', 'role', 'style', 'tabindex']) copy.removeAttribute(name)
    copy.style.width = 'max-content'
    const row = document.createElement('div')
    if (cell === header) row.className = 'grid-head'
    row.append(copy)
    box.append(row)
  }
  grid.append(box)
  const { width } = box.getBoundingClientRect()
  // Values that did not fit are not rendered.
  const hidden = [...box.querySelectorAll<HTMLElement>('[data-width]')].map(({ dataset }) => Number(dataset.width))
  box.remove()
  return Math.ceil(Math.max(width, ...hidden))
}
