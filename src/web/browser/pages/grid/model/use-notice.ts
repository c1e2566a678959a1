import { useMemo, useState } from 'react'
import { toErrorMessage } from '../../../api/api-error'
import { useStrings } from '../../../language'

/** The grid's status line, announced by screen readers. */
export type Notice = { text: string; isFailure: boolean; subject?: object; undo?: () => void; trash?: string }

export function useNotice() {
  const strings = useStrings()
  const [notice, setNotice] = useState<Notice | null>(null)
  const [announcement, setAnnouncement] = useState({ text: '', number: 0 })
  const notifier = useMemo(
    () => ({
      /** @param undo undoes the reported change @param trash the table whose trash contains the deleted records */
      show: (text: string, undo?: () => void, trash?: string) => setNotice({ text, isFailure: false, undo, trash }),
      /** @param subject the object whose later success clears the failure; see `clearFailure` */
      showFailure: (text: string, subject?: object) => setNotice({ text, isFailure: true, subject }),
      /** @param name the beginning of the message */
      showError: (error: unknown, name?: string, subject?: object) =>
        setNotice({ text: [name, toErrorMessage(error, strings)].filter(Boolean).join(': '), isFailure: true, subject }),
      clear: () => setNotice(null),
      /** Announces visible changes of the grid to screen readers. */
      announce: (text: string) => setAnnouncement(({ number }) => ({ text, number: number + 1 })),
      /** Removes the failure of the subject after its success. Other failures stay. */
      clearFailure: (subject: object) => setNotice((before) => (before?.subject === subject ? null : before)),
    }),
    [strings],
  )
  return { notice, announcement, notifier }
}

export type Notifier = ReturnType<typeof useNotice>['notifier']
