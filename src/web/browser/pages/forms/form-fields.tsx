import { ActionIcon, Checkbox, Select, TextInput } from '@mantine/core'
import type { FormField } from '../../../../forms/model'
import type { TableView } from '../../../../tables/model'
import { FoldedFields } from '../../components/form/fields'
import { useFieldError } from '../../components/form/form'
import { Icon } from '../../components/icon'
import { useStrings } from '../../language'
import type { ColumnInfo } from '../../records/values/column'
import { canHaveFormDefault, DefaultField, FileLimitFields } from './field-limits'
import { formColumns, offersRecords } from './form-draft'

type FormFieldsProps = { table: TableView; fields: FormField[]; change: (fields: FormField[]) => void }

/** The fields of a form in their order. */
export function FormFields({ table, fields, change }: FormFieldsProps) {
  const { forms: words } = useStrings()
  const columns = formColumns(table)
  const used = fields.map(({ column }) => column)
  const replace = (index: number, field: FormField) => change(fields.with(index, field))
  const swap = (index: number, other: number) => change(fields.with(index, fields[other]!).with(other, fields[index]!))
  return (
    <fieldset className="form">
      <legend>{words.fields}</legend>
      {fields.map((field, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would draw a second frame
        <div key={field.column} className="form" role="group" aria-label={field.column}>
          <div className="row-actions">
            <strong>{field.column}</strong>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.up(field.column)}
              disabled={index === 0}
              onClick={() => swap(index, index - 1)}
            >
              <Icon name="up" size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.down(field.column)}
              disabled={index === fields.length - 1}
              onClick={() => swap(index, index + 1)}
            >
              <Icon name="chevron" size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.remove(field.column)}
              onClick={() => change(fields.toSpliced(index, 1))}
            >
              <Icon name="trash" size={16} />
            </ActionIcon>
          </div>
          <FieldSettings
            field={field}
            index={index}
            above={fields[index - 1]?.column}
            column={columns.find(({ name }) => name === field.column)}
            change={(changed) => replace(index, changed)}
          />
        </div>
      ))}
      <Select
        label={words.add}
        description={words.addHelp}
        data={columns.flatMap(({ name }) => (used.includes(name) ? [] : [name]))}
        value={null}
        onChange={(column) => {
          const type = columns.find(({ name }) => name === column)?.type
          if (column) change([...fields, { column, ...(offersRecords(type) ? { choices: true } : {}) }])
        }}
      />
    </fieldset>
  )
}

type FieldSettingsProps = {
  field: FormField
  index: number
  /** The name of the preceding field. */
  above: string | undefined
  column: ColumnInfo | undefined
  change: (field: FormField) => void
}

function FieldSettings(props: FieldSettingsProps) {
  const { field, index, column, change } = props
  const { forms: words } = useStrings()
  const problem = useFieldError(`fields/${index}/column`)
  return (
    <>
      <TextInput
        label={words.label}
        placeholder={field.column}
        maxLength={200}
        value={field.label ?? ''}
        error={problem}
        onChange={({ currentTarget }) => change({ ...field, label: currentTarget.value || undefined })}
      />
      <Checkbox
        size="md"
        label={words.required}
        checked={field.required ?? false}
        onChange={({ currentTarget }) => change({ ...field, required: currentTarget.checked })}
      />
      {offersRecords(column?.type) ? (
        <Checkbox
          size="md"
          label={words.choices}
          checked={field.choices ?? false}
          onChange={({ currentTarget }) => change({ ...field, choices: currentTarget.checked })}
        />
      ) : null}
      <MoreSettings {...props} />
    </>
  )
}

/** The settings that few fields need. Initially open if one of them is set or invalid. */
function MoreSettings({ field, index, above, column, change }: FieldSettingsProps) {
  const { forms: words, columns } = useStrings()
  const { help, shownIf, prefill, default: initial, files } = field
  const wrongCondition = useFieldError(`fields/${index}/shownIf`)
  return (
    <FoldedFields
      className="more"
      names={['shownIf', 'default', 'files'].map((name) => `fields/${index}/${name}`)}
      isInitiallyOpen={[help, shownIf, prefill, initial, files].some((value) => value !== undefined)}
    >
      <summary>{columns.more}</summary>
      <div className="more-fields">
        <TextInput
          label={words.help}
          maxLength={1000}
          value={help ?? ''}
          onChange={({ currentTarget }) => change({ ...field, help: currentTarget.value || undefined })}
        />
        {above === undefined ? null : (
          <TextInput
            label={words.shownIf}
            description={words.shownIfHelp(above)}
            value={shownIf ?? ''}
            error={wrongCondition}
            onChange={({ currentTarget }) => change({ ...field, shownIf: currentTarget.value || undefined })}
          />
        )}
        {column && canHaveFormDefault(column) ? <DefaultField field={field} index={index} column={column} change={change} /> : null}
        {column?.type === 'attachment' ? (
          <FileLimitFields field={field} index={index} change={change} />
        ) : (
          <Checkbox
            size="md"
            label={words.prefill(field.column)}
            checked={prefill ?? false}
            onChange={({ currentTarget }) => change({ ...field, prefill: currentTarget.checked })}
          />
        )}
      </div>
    </FoldedFields>
  )
}
