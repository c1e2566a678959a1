/** Copies the text of a field or of a block. @returns whether the text is in the clipboard */
export async function copyToClipboard(place: HTMLElement): Promise<boolean> {
  const isField = place instanceof HTMLInputElement
  if (isField) place.select()
  else getSelection()?.selectAllChildren(place)
  // The clipboard API needs a secure context and may be denied. `execCommand` works without it.
  const isCopied = await navigator.clipboard?.writeText(isField ? place.value : (place.textContent ?? '')).then(
    () => true,
    () => false,
  )
  return isCopied || document.execCommand('copy')
}
