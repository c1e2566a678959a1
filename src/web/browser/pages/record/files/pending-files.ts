/** Files that were chosen for a record before it was saved for the first time, by the paths of their cells. They go up when its page is drawn. */
const waiting = new Map<string, File[]>()

export const keepFiles = (path: string, files: File[]) => void waiting.set(path, files)

/** Once: who asks has them. */
export function takeFiles(path: string): File[] {
  const files = waiting.get(path) ?? []
  waiting.delete(path)
  return files
}
