import { useEffect, useRef } from 'react'
import { wordsFor } from '../../../api/api-error'
import { useStrings } from '../../../language'
import type { FieldProblems } from '../fields/field-errors'

/** Where a field is, to go there. */
const focusField = (name: string) =>
  document
    .querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`)
    ?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea, select, button')
    ?.focus()

/** Why it was not saved, with the ways to the fields. It takes the focus, so that it is read first. */
export function Summary({ failure, problems }: { failure: unknown; problems: FieldProblems }) {
  const strings = useStrings()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (failure) box.current?.focus()
  }, [failure])
  if (!failure) return null
  return (
    <div ref={box} className="summary" role="alert" tabIndex={-1}>
      <p className="state-title">{strings.record.notSavedTitle(problems.size)}</p>
      {problems.size === 0 ? <p>{wordsFor(failure, strings)}</p> : null}
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
