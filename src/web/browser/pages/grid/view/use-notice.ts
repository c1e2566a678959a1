import { useMemo, useState } from 'react'
import { wordsFor } from '../../../api/api-error'
import { useStrings } from '../../../language'

/** A line at the foot of the grid, read out by screen readers. */
export type Notice = { text: string; isFailure: boolean; undo?: () => void }

export function useNotice() {
  const strings = useStrings()
  const [notice, setNotice] = useState<Notice | null>(null)
  const tell = useMemo(
    () => ({
      /** @param undo takes back what is told */
      say: (text: string, undo?: () => void) => setNotice({ text, isFailure: false, undo }),
      fail: (text: string) => setNotice({ text, isFailure: true }),
      refuse: (error: unknown) => setNotice({ text: wordsFor(error, strings), isFailure: true }),
      clear: () => setNotice(null),
    }),
    [strings],
  )
  return { notice, tell }
}

export type Tell = ReturnType<typeof useNotice>['tell']
