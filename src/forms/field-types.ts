/** Types of columns that a public form can fill. */
export const formFieldTypes: readonly string[] = [
  ...['text', 'longText', 'email', 'url', 'phone', 'uuid', 'select', 'multiSelect', 'boolean', 'date', 'time', 'dateTime', 'duration'],
  ...['integer', 'bigint', 'decimal', 'currency', 'percent', 'float', 'rating', 'attachment', 'link', 'manyLinks'],
]
