import { Checkbox, Input, InputWrapper, NativeSelect, TextInput } from '@mantine/core'
import type { Schema } from '../../api/documents-query'
import { DateInput } from '../../fields/date-input'
import { useStrings } from '../../language'
import { type SchemaInput, schemaChoices, schemaKind } from './schema-values'

type SchemaFieldsProps = {
  schema: Schema
  typed: SchemaInput
  change: (typed: SchemaInput) => void
  problemOf: (name: string) => string | undefined
}

/** One control for each parameter of a template. */
export const SchemaFields = ({ schema: { properties = {}, required = [] }, typed, change, problemOf }: SchemaFieldsProps) =>
  Object.entries(properties).map(([name, schema]) => (
    <ParameterField
      key={name}
      name={name}
      schema={schema}
      isRequired={required.includes(name) && schema.default === undefined}
      value={typed[name] ?? ''}
      change={(value) => change({ ...typed, [name]: value })}
      problem={problemOf(name)}
    />
  ))

type ParameterFieldProps = {
  name: string
  schema: Schema
  isRequired: boolean
  value: string | boolean
  change: (value: string | boolean) => void
  problem: string | undefined
}

function ParameterField({ name, schema, isRequired, value, change, problem }: ParameterFieldProps) {
  const { documents } = useStrings()
  const kind = schemaKind(schema)
  const shared = { label: schema.title ?? name, description: schema.description, error: problem }
  if (kind === 'boolean') return <Checkbox {...shared} checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />
  const text = String(value)
  const typing = {
    value: text,
    required: isRequired,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  }
  if (kind === 'choice')
    return (
      <NativeSelect
        {...shared}
        {...typing}
        withAsterisk={false}
        data={[{ value: '', label: documents.choose }, ...(schemaChoices(schema) ?? [])]}
      />
    )
  if (kind === 'list' || kind === 'json') {
    const help = [schema.description, kind === 'list' ? documents.oneValuePerLine : documents.asJson].filter(Boolean).join(' ')
    return (
      <InputWrapper {...shared} id={`parameter-${name}`} description={help}>
        <Input component="textarea" id={`parameter-${name}`} multiline rows={4} {...typing} />
      </InputWrapper>
    )
  }
  if (kind === 'date') {
    const setDate = (date: string, isPartial: boolean) => change(isPartial ? '' : date)
    return <DateInput {...shared} kind="date" value={text} required={isRequired} withAsterisk={false} change={setDate} />
  }
  const inputMode = kind === 'number' ? (schema.type === 'integer' ? 'numeric' : 'decimal') : undefined
  return <TextInput {...shared} {...typing} withAsterisk={false} inputMode={inputMode} maxLength={schema.maxLength} autoComplete="off" />
}
