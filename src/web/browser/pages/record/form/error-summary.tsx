import { useEffect, useRef } from 'react'
import { toErrorMessage } from '../../../api/api-error'
import type { FieldErrors } from '../../../fields/field-errors'
import { useStrings } from '../../../language'

/** Moves the focus to a field. */
const focusField = (name: string) =>
  document
    .querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`)
    ?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea, select, button')
    ?.focus()

/**
 * The errors of a rejected save, with links to the fields. It takes the focus, so that screen readers read it first.
 */
export function ErrorSummary({ failure, problems }: { failure: unknown; problems: FieldErrors }) {
  const strings = useStrings()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (failure) box.current?.focus()
  }, [failure])
  if (!failure) return null
  return (
    <div ref={box} className="summary" role="alert" tabIndex={-1}>
      <p className="state-title">{strings.record.notSavedTitle(problems.size)}</p>
      {problems.size === 0 ? <p>{toErrorMessage(failure, strings)}</p> : null}
      <ul>
        {[...problems].map(([name, problem]) => (
          <li key={name}>
            <button type="button" className="text-button" onClick={() => focusField(name)}>
              {name}
            </button>{' '}
            {problem}
          </li>
        ))}
      </ul>
    </div>
  )
}
