import { useFieldProblem } from '../../components/form'
import { useStrings } from '../../language'
import { Field } from '../record/fields/field'
import type { DraftProps } from './column-dialog'
import { type Column, canBeUnique, canHaveDefault, canRequire, unconstrained } from './column-kinds'

/** What holds for the values of a column whatever its type is: required, unique, the default. */
export function Constraints({ draft, set, isKey }: DraftProps & { isKey: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldProblem('default')
  const { type, choices } = draft
  // A value of the column that is being made.
  const column: Column = { ...unconstrained, id: 'default', name: words.default, type, options: { choices } }
  return (
    <>
      {canHaveDefault(type) && !isKey && type !== 'link' ? (
        <Field column={column} draft={draft.default} change={(value) => set({ ...draft, default: value })} problem={problem} />
      ) : null}
      <div className="checks">
        {canRequire(type) && !isKey ? (
          <Check
            name="required"
            label={words.requiredLabel}
            isChecked={draft.isRequired}
            change={(isRequired) => set({ ...draft, isRequired })}
          />
        ) : null}
        {canBeUnique(type) && !isKey ? (
          <Check name="unique" label={words.uniqueLabel} isChecked={draft.isUnique} change={(isUnique) => set({ ...draft, isUnique })} />
        ) : null}
      </div>
    </>
  )
}

type CheckProps = { name: string; label: string; isChecked: boolean; change: (isChecked: boolean) => void }

function Check({ name, label, isChecked, change }: CheckProps) {
  const problem = useFieldProblem(name)
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          name={name}
          checked={isChecked}
          aria-invalid={problem !== undefined}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {label}
      </label>
      <p role="alert" className="alert">
        {problem}
      </p>
    </div>
  )
}
