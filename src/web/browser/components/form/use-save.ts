import { useState } from 'react'

/** The state of saving: its error, and whether it is pending. While it is pending, saving again does nothing. */
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
