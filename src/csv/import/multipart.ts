import { invalidRequest } from '../../errors'
import { type FilePart, multipartFiles } from '../../http/request/multipart'
import { translatable } from '../../messages/message'

/** The file of a form, as it arrives, and the fields before it. */
type CsvForm = { fields: Map<string, string>; file: AsyncGenerator<Uint8Array> }

export const isForm = (contentType: string): boolean => /^multipart\/form-data\b/i.test(contentType)

/**
 * Reads a form up to its file; the bytes of the file are then streamed (RFC 7578).
 * @throws Failure invalid_request for a malformed form or one without a file; while the file is read, also if fields
 * follow it
 */
export async function readForm(contentType: string, source: AsyncIterable<Uint8Array>): Promise<CsvForm> {
  const fields = new Map<string, string>()
  const behind: string[] = []
  const onField = (name: string, value: string, filesBefore: number) => {
    if (filesBefore > 0) behind.push(name)
    else fields.set(name, value)
  }
  const files = multipartFiles(contentType, source, { mostFiles: 2, onField })
  const first = await files.next()
  if (first.done)
    throw invalidRequest(translatable('The form has no file.'), translatable('Send the file as a part with a filename, after the fields.'))
  return { fields, file: fileOf(first.value, files, behind) }
}

async function* fileOf({ bytes }: FilePart, files: AsyncGenerator<FilePart>, behind: string[]): AsyncGenerator<Uint8Array> {
  try {
    // Copies the chunks, since the reader keeps the first lines while further chunks arrive.
    for await (const chunk of bytes) yield Buffer.from(chunk)
    const isLast = (await files.next()).done
    if (!isLast || behind.length > 0)
      throw invalidRequest(translatable('The form has more parts after the file.'), translatable('Send only one file, as the last part.'))
  } finally {
    await files.return(undefined)
  }
}
