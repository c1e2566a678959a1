export type UnloadWork = () => unknown

let current: UnloadWork[] | null = null

/** Plugins are loaded one after the other: what says `onUnload` meanwhile is code of this one. */
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

/** Does not wait for what takes its time. @param tell of what it throws */
export function unload(works: readonly UnloadWork[], tell: (error: unknown) => void): void {
  for (const work of works) Promise.resolve().then(work).catch(tell)
}
