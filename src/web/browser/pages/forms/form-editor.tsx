import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { FormDefinition } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { api, unwrap } from '../../api/client'
import { queryClient } from '../../api/queries'
import { CancelButton, Dialog } from '../../components/dialog'
import { FoldedFields, TextField } from '../../components/form/fields'
import { Form, type FormValues, useFieldError } from '../../components/form/form'
import { DateInput } from '../../fields/date-input'
import { useStrings } from '../../language'
import { localTimeZone, toLocalTimestamp, toUtcTimestamp } from '../../values/timestamps'
import { budgetParts, type FormDraft, formsQuery, newFormDraft } from './form-draft'
import { FormFields } from './form-fields'
import { FormProblems } from './form-problems'

type FormEditorProps = { table: TableView; form?: FormDefinition; names: readonly string[]; close: () => void }

/** Edits a new or an existing form. */
export function FormEditor({ table, form, names, close }: FormEditorProps) {
  const { forms: words } = useStrings()
  const [draft, setDraft] = useState<FormDraft>(() => form ?? newFormDraft(table, names))
  const save = async (values: FormValues) => {
    const body = { ...settingsOf(values), enabled: draft.enabled, fields: draft.fields }
    const { description, thanks, redirect, ...others } = body
    const given = Object.fromEntries(Object.entries({ description, thanks, redirect }).filter(([, value]) => value !== null))
    await (form
      ? unwrap(api['form-definitions']({ name: form.name }).patch(body))
      : unwrap(api['form-definitions'].post({ ...others, ...given, table: table.id })))
    await queryClient.invalidateQueries(formsQuery)
    close()
  }
  return (
    <Dialog title={form ? words.edit(form.title) : words.create} isOpen close={close} size="lg">
      <Form action={words.save} submit={save} beside={<CancelButton close={close} />}>
        {form ? <FormProblems table={table} form={form} /> : null}
        <TextField name="title" label={words.formTitle} defaultValue={draft.title} required maxLength={200} data-autofocus />
        <Textarea name="description" label={words.description} defaultValue={form?.description ?? ''} maxLength={5000} autosize />
        <TextField name="name" label={words.name} description={words.nameHelp} defaultValue={draft.name} required maxLength={63} />
        <Checkbox
          size="md"
          label={words.enabled}
          checked={draft.enabled}
          onChange={({ currentTarget }) => setDraft({ ...draft, enabled: currentTarget.checked })}
        />
        <FormFields table={table} fields={draft.fields} change={(fields) => setDraft({ ...draft, fields })} />
        <FoldedFields names={['redirect', 'opensAt', 'closesAt', 'budget']}>
          <summary>{words.settings}</summary>
          <div className="form">
            <Textarea name="thanks" label={words.thanks} defaultValue={form?.thanks ?? ''} maxLength={5000} autosize />
            <TextField name="redirect" label={words.redirect} defaultValue={form?.redirect ?? ''} type="url" maxLength={2000} />
            <TimeField name="opensAt" label={words.opensAt} time={form?.opensAt} />
            <TimeField name="closesAt" label={words.closesAt} time={form?.closesAt} />
            <TextInput name="most" label={words.most} type="number" min={1} defaultValue={form?.maxSubmissions ?? ''} />
            <BudgetField budget={form?.budget} />
            <Textarea
              name="sites"
              label={words.sites}
              description={words.sitesHelp}
              defaultValue={form?.sites?.join('\n') ?? ''}
              autosize
            />
          </div>
        </FoldedFields>
      </Form>
    </Dialog>
  )
}

/** The service's default for a form without a budget. */
const standardBudget = '20/h'

type TimeFieldProps = { name: string; label: string; time: string | null | undefined }

/** Edits a time in the browser's time zone, which the field names. */
function TimeField({ name, label, time }: TimeFieldProps) {
  const { record } = useStrings()
  const [text, setText] = useState(time ? toLocalTimestamp(time) : '')
  const problem = useFieldError(name)
  return (
    <>
      <DateInput
        kind="dateTime"
        label={label}
        description={record.zone(localTimeZone())}
        value={text}
        error={problem}
        change={(typed) => setText(typed)}
      />
      <input type="hidden" name={name} value={text} />
    </>
  )
}

/** The maximum number of answers from one address, and the period. */
function BudgetField({ budget }: { budget: string | undefined }) {
  const { forms: words } = useStrings()
  const { count, period } = budgetParts(budget)
  const problem = useFieldError('budget')
  return (
    <div className="two">
      <TextInput
        name="budget"
        label={words.budget}
        description={words.budgetHelp}
        type="number"
        min={1}
        max={9_999_999}
        placeholder="20"
        error={problem}
        defaultValue={count}
      />
      <NativeSelect
        name="period"
        label={words.period}
        description={words.periodHelp}
        defaultValue={period}
        data={Object.entries(words.periods).map(([value, label]) => ({ value, label }))}
      />
    </div>
  )
}

const toTimestamp = (text: string | undefined): string | null => (text ? toUtcTimestamp(text) : null)

const settingsOf = ({
  title = '',
  description,
  name = '',
  thanks,
  redirect,
  opensAt,
  closesAt,
  most,
  budget,
  period,
  sites = '',
}: FormValues) => ({
  title,
  name,
  description: description || null,
  thanks: thanks || null,
  redirect: redirect || null,
  opensAt: toTimestamp(opensAt),
  closesAt: toTimestamp(closesAt),
  maxSubmissions: most ? Number(most) : null,
  budget: budget ? `${budget}/${period}` : standardBudget,
  sites: sites.split(/\s+/).filter(Boolean),
})
