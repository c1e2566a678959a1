import { useFieldError } from '../../components/form/form'
import { Field } from '../../fields/field'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { canBeUnique, canHaveDefault, canRequire, unconstrained } from '../../records/values/column-kinds'
import type { DraftProps } from './column-draft'
import { isCaseIgnored } from './column-draft'

/** Constraints that all types share: required, unique, default. */
export function Constraints({ draft, set, isKey }: DraftProps & { isKey: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldError('default')
  const { type, choices } = draft
  // The default is edited like a value of the column: for a rating, with the same number of stars.
  const max = type === 'rating' ? draft.options.max || 5 : undefined
  const column: ColumnInfo = { ...unconstrained, id: 'default', name: words.default, type, options: { choices, max } }
  return (
    <>
      {canHaveDefault(type) && !isKey && type !== 'link' ? (
        <Field column={column} draft={draft.default} change={(value) => set({ ...draft, default: value })} error={problem} />
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
        {type === 'email' && draft.isUnique && !isKey ? (
          <Check
            name="ignoreCase"
            label={words.optionLabels.ignoreCase}
            isChecked={isCaseIgnored(draft)}
            change={(isChecked) => set({ ...draft, options: { ...draft.options, ignoreCase: String(isChecked) } })}
          />
        ) : null}
      </div>
    </>
  )
}

type CheckProps = { name: string; label: string; isChecked: boolean; change: (isChecked: boolean) => void }

function Check({ name, label, isChecked, change }: CheckProps) {
  const problem = useFieldError(name)
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
