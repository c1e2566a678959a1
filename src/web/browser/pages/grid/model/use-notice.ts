import { useMemo, useState } from 'react'
import { toErrorMessage } from '../../../api/api-error'
import { useStrings } from '../../../language'

/** The grid's status line, announced by screen readers. */
export type Notice = { text: string; isFailure: boolean; undo?: () => void; trash?: string }

export function useNotice() {
  const strings = useStrings()
  const [notice, setNotice] = useState<Notice | null>(null)
  const notifier = useMemo(
    () => ({
      /** @param undo undoes the reported change @param trash the table whose trash has the deleted records */
      show: (text: string, undo?: () => void, trash?: string) => setNotice({ text, isFailure: false, undo, trash }),
      showFailure: (text: string) => setNotice({ text, isFailure: true }),
      /** @param subject what the error is about */
      showError: (error: unknown, subject?: string) =>
        setNotice({ text: [subject, toErrorMessage(error, strings)].filter(Boolean).join(': '), isFailure: true }),
      clear: () => setNotice(null),
      /** After a success. @param subject the beginning of the error that it settles; any error without it */
      clearFailure: (subject = '') => setNotice((before) => (before?.isFailure && before.text.startsWith(subject) ? null : before)),
    }),
    [strings],
  )
  return { notice, notifier }
}

export type Notifier = ReturnType<typeof useNotice>['notifier']
