export type UnloadWork = () => unknown

let current: UnloadWork[] | null = null

/** Plugins are loaded one after another, so every `onUnload` meanwhile comes from the plugin that is being loaded. */
export async function collectingUnloads<Result>(into: UnloadWork[], load: () => Promise<Result>): Promise<Result> {
  current = into
  try {
    return await load()
  } finally {
    current = null
  }
}

/** @throws Error outside of loading */
export function onUnload(work: unknown): void {
  if (typeof work !== 'function') throw new TypeError('onUnload(…) needs a function.')
  if (!current) throw new Error('onUnload(…) is for code that runs when the plugin is loaded, not for functions that are called later.')
  current.push(work as UnloadWork)
}

/** Runs the work without waiting for its promises. @param tell is called with the errors */
export function unload(works: readonly UnloadWork[], tell: (error: unknown) => void): void {
  for (const work of works) Promise.resolve().then(work).catch(tell)
}
