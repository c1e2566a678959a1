export const delimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const
export type Delimiter = (typeof delimiters)[keyof typeof delimiters]

/** A delimiter from its name or its character; undefined for any other text. */
export const readDelimiter = (text: string): Delimiter | undefined =>
  Object.entries(delimiters).find(([name, character]) => text === name || text === character)?.[1]
