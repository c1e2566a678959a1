const tellEveryMs = 5000

/** Says on standard error how far it is, every few seconds until it is disposed of; what is quick says nothing. */
export function telling(sentence: () => string): Disposable {
  const timer = setInterval(() => console.error(sentence()), tellEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
