/**
 * Files that were chosen for a new record, by the path of their cell. They are uploaded when the record's page is
 * rendered.
 */
const pendingByPath = new Map<string, File[]>()

export const storePendingFiles = (path: string, files: File[]) => void pendingByPath.set(path, files)

/** Removes and returns the files of a cell. */
export function takePendingFiles(path: string): File[] {
  const files = pendingByPath.get(path) ?? []
  pendingByPath.delete(path)
  return files
}
