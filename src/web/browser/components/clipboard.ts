/** Copies what a field or a block of text holds. @returns whether it is in the clipboard now */
export async function copyFrom(place: HTMLElement): Promise<boolean> {
  const isField = place instanceof HTMLInputElement
  if (isField) place.select()
  else getSelection()?.selectAllChildren(place)
  // Browsers offer the clipboard only over https and on this machine, and may still refuse; the old way works elsewhere too.
  const isCopied = await navigator.clipboard?.writeText(isField ? place.value : (place.textContent ?? '')).then(
    () => true,
    () => false,
  )
  return isCopied || document.execCommand('copy')
}
