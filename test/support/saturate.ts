import type { Passwords } from '../../src/auth/accounts/passwords'

/** Keeps one hash running and 64 waiting, so that there is no room for another. @returns a function that ends this */
export function saturate(passwords: Passwords): () => Promise<void> {
  let isWanted = true
  const repeat = async () => {
    while (isWanted) await passwords.hash('fills the queue').catch(() => Bun.sleep(1))
  }
  const loops = Array.from({ length: 65 }, repeat)
  return async () => {
    isWanted = false
    await Promise.all(loops)
  }
}
