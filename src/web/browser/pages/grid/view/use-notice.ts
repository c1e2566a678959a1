import { useMemo, useState } from 'react'
import { toErrorMessage } from '../../../api/api-error'
import { useStrings } from '../../../language'

/** The grid's status line, announced by screen readers. */
export type Notice = { text: string; isFailure: boolean; undo?: () => void }

export function useNotice() {
  const strings = useStrings()
  const [notice, setNotice] = useState<Notice | null>(null)
  const notifier = useMemo(
    () => ({
      /** @param undo undoes the reported change */
      show: (text: string, undo?: () => void) => setNotice({ text, isFailure: false, undo }),
      showFailure: (text: string) => setNotice({ text, isFailure: true }),
      showError: (error: unknown) => setNotice({ text: toErrorMessage(error, strings), isFailure: true }),
      clear: () => setNotice(null),
    }),
    [strings],
  )
  return { notice, notifier }
}

export type Notifier = ReturnType<typeof useNotice>['notifier']
