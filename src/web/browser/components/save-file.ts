/** Saves a file with the browser's download manager. */
export function saveFile(file: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // By then, the download holds its own reference.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
