import { useState } from 'react'

/** Saving: what it fails with, and whether it is at work. A second press while it is does nothing. */
export function useSave(work: () => Promise<unknown>) {
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  async function save() {
    if (isBusy) return
    setBusy(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return { failure, isBusy, save, forget: () => setFailure(null) }
}
