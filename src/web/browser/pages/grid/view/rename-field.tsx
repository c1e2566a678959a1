import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { toErrorMessage } from '../../../api/api-error'
import { useStrings } from '../../../language'

type RenameFieldProps = {
  name: string
  /** @throws ApiError */
  save: (name: string) => Promise<unknown>
  /** @param isByKey whether the focus returns to the header */
  close: (isByKey: boolean) => void
}

/** The name of a column as a field: Enter or leaving the field saves, Escape cancels. */
export function RenameField({ name, save, close }: RenameFieldProps) {
  const strings = useStrings()
  const field = useRef<HTMLInputElement>(null)
  const state = useRef<'editing' | 'saving' | 'closed'>('editing')
  const [problem, setProblem] = useState('')
  useEffect(() => field.current?.select(), [])

  const finish = (isByKey: boolean) => {
    state.current = 'closed'
    close(isByKey)
  }
  async function commit(isByKey: boolean) {
    const text = field.current!.value
    if (state.current !== 'editing') return
    if (text.trim() === '' || text === name || (problem !== '' && !isByKey)) return finish(isByKey)
    state.current = 'saving'
    try {
      await save(text)
      finish(isByKey)
    } catch (error) {
      state.current = 'editing'
      setProblem(toErrorMessage(error, strings))
    }
  }
  const press = (event: KeyboardEvent) => {
    // The keys of the grid do not apply here.
    event.stopPropagation()
    if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault()
    if (event.key === 'Enter') void commit(true)
    if (event.key === 'Escape') finish(true)
  }
  return (
    <>
      <input
        ref={field}
        className="grid-editor"
        aria-label={strings.columns.renameOf(name)}
        aria-invalid={problem !== ''}
        aria-describedby={problem ? 'rename-problem' : undefined}
        defaultValue={name}
        // biome-ignore lint/a11y/noAutofocus: the user asked to rename
        autoFocus
        autoComplete="off"
        spellCheck={false}
        onChange={() => setProblem('')}
        onKeyDown={press}
        onBlur={() => void commit(false)}
      />
      {problem ? (
        <span id="rename-problem" role="alert" className="grid-problem">
          {problem}
        </span>
      ) : null}
    </>
  )
}
