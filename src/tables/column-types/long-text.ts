import { textOf } from './text'

export const longText = textOf('Text of several lines.', 'longText')
