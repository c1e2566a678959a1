import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { FoldedFields } from '../../components/form/fields'
import { useFieldError } from '../../components/form/form'
import { useStrings } from '../../language'
import { lineOptionsOf } from '../../records/values/column-kinds'
import type { DraftProps } from './column-draft'

type MoreFieldsProps = { type: string; isInitiallyOpen: boolean; children: ReactNode }

/** The fields that few columns need. */
export function MoreFields({ type, isInitiallyOpen, children }: MoreFieldsProps) {
  const { columns: words } = useStrings()
  const names = ['default', 'required', 'unique', 'ignoreCase', 'description', ...lineOptionsOf(type)]
  return (
    <FoldedFields className="more" names={names} isInitiallyOpen={isInitiallyOpen}>
      <summary>{words.more}</summary>
      <div className="more-fields">{children}</div>
    </FoldedFields>
  )
}

export function DescriptionField({ draft, set, isFocused }: DraftProps & { isFocused: boolean }) {
  const { columns: words } = useStrings()
  const problem = useFieldError('description')
  return (
    <Textarea
      name="description"
      label={words.description}
      description={words.descriptionHelp}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      autosize
      minRows={1}
      maxRows={6}
      maxLength={1000}
      value={draft.description}
      onChange={(event) => set({ ...draft, description: event.currentTarget.value })}
      error={problem}
      aria-invalid={problem !== undefined}
      data-autofocus={isFocused || undefined}
    />
  )
}
