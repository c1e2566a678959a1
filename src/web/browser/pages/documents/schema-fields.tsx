import { Checkbox, Input, InputWrapper, NativeSelect, TextInput } from '@mantine/core'
import type { Schema } from '../../api/documents-query'
import { DateInput } from '../../fields/date-input'
import { useStrings } from '../../language'
import { schemaChoices, schemaKind } from '../../values/schema-value'
import type { SchemaInput } from './schema-values'

type SchemaFieldsProps = {
  schema: Schema
  typed: SchemaInput
  change: (typed: SchemaInput) => void
  problemOf: (name: string) => string | undefined
  /** The name of the parameter that takes the id of a table, and the tables to choose from. */
  tables: { parameter: string | undefined; choices: Choice[] }
}

type Choice = { value: string; label: string }

/** One control for each parameter of a template. */
export const SchemaFields = ({ schema: { properties = {}, required = [] }, typed, change, problemOf, tables }: SchemaFieldsProps) =>
  Object.entries(properties).map(([name, schema]) => (
    <ParameterField
      key={name}
      name={name}
      schema={schema}
      choices={name === tables.parameter ? tables.choices : (schemaChoices(schema)?.map((value) => ({ value, label: value })) ?? null)}
      isRequired={required.includes(name) && schema.default === undefined}
      value={typed[name] ?? ''}
      change={(value) => change({ ...typed, [name]: value })}
      problem={problemOf(name)}
    />
  ))

type ParameterFieldProps = {
  name: string
  schema: Schema
  choices: Choice[] | null
  isRequired: boolean
  value: string | boolean
  change: (value: string | boolean) => void
  problem: string | undefined
}

function ParameterField({ name, schema, choices, isRequired, value, change, problem }: ParameterFieldProps) {
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
  if (choices) {
    // A URL may name a table by its name instead of its id.
    const others = text === '' || choices.some((choice) => choice.value === text) ? [] : [{ value: text, label: text }]
    const data = [{ value: '', label: documents.choose }, ...choices, ...others]
    return <NativeSelect {...shared} {...typing} withAsterisk={false} data={data} />
  }
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
