import { type Message, translatable } from '../../../messages/message'

export const maxCellLength = 80

/** A message about a cell, with the beginning of its text. */
export const withCell = (message: Message, cell: string | null): Message =>
  cell === null
    ? message
    : translatable('{message}: "{cell}"', { message, cell: cell.length > maxCellLength ? `${cell.slice(0, maxCellLength)}…` : cell })
