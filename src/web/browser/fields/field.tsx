import { Input, NativeSelect, Rating, Textarea, TextInput } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useStrings } from '../language'
import { withAllDigits } from '../records/values/cell-kinds'
import { displayText } from '../records/values/cell-text'
import { type ColumnInfo, isNumberType } from '../records/values/column'
import { decimalMark, roundDecimal, toJsonNumber, toTypedNumber } from '../values/decimal'
import { formatDate, formatTimestamp } from '../values/format'
import { localTimeZone } from '../values/timestamps'
import type { DateKind } from '../values/typed-dates'
import { ChoiceField, ChoicesField } from './choice-field'
import { DateInput } from './date-input'
import { controlProps, type FieldProps } from './field-props'
import { JsonField } from './json-field'
import { LinkField, LinksField } from './link-field'
import { UserField } from './user-field'

/** The control for a value, by the type of its column. */
export function Field(props: FieldProps) {
  switch (props.column.type) {
    case 'longText':
      return <LongTextField {...props} />
    case 'boolean':
      return props.column.required ? <CheckboxField {...props} /> : <BooleanSelect {...props} />
    case 'json':
      return <JsonField {...props} />
    case 'select':
      return <ChoiceField {...props} />
    case 'multiSelect':
      return <ChoicesField {...props} />
    case 'link':
      return <LinkField {...props} />
    case 'manyLinks':
    case 'reverseLinks':
      return <LinksField {...props} />
    case 'rating':
      return <RatingField {...props} />
    case 'user':
      return <UserField {...props} />
    case 'date':
    case 'time':
    case 'dateTime':
      return <DateField {...props} kind={props.column.type} />
    default:
      return <AnyTextField {...props} />
  }
}

const inputModes: Record<string, 'numeric' | 'decimal' | 'email' | 'url' | 'tel'> = {
  integer: 'numeric',
  bigint: 'numeric',
  decimal: 'decimal',
  currency: 'decimal',
  float: 'decimal',
  email: 'email',
  url: 'url',
  phone: 'tel',
}

function DateField({ kind, ...props }: FieldProps & { kind: DateKind }) {
  const { record } = useStrings()
  const { column, draft, change, isOptional } = props
  const help = useHelp(column)
  return (
    <DateInput
      {...controlProps(props)}
      kind={kind}
      format={column.options}
      description={isOptional ? record.generatedKey : help}
      value={typeof draft === 'string' ? draft : ''}
      change={(text) => change(text)}
    />
  )
}

/** A single-line control would remove line breaks. */
function AnyTextField(props: FieldProps) {
  const hasLineBreaks = useRef(false)
  hasLineBreaks.current ||= /[\r\n]/.test(String(props.draft ?? ''))
  return hasLineBreaks.current ? <LongTextField {...props} /> : <TextLineField {...props} />
}

/** A single-line control: text and numbers. */
function TextLineField(props: FieldProps) {
  const { column, draft, change } = props
  const { grid, record, tables } = useStrings()
  const help = useHelp(column)
  const text = typeof draft === 'string' ? draft : ''
  const isAmount = column.type === 'currency'
  const [isTyping, setTyping] = useState(!isAmount)
  const { maxLength } = column.options as { maxLength?: number }
  const [isRounded, setRounded] = useState(false)
  const round = () => {
    const rounded = roundedDraft(column, text)
    if (rounded === null) return
    change(rounded)
    setRounded(true)
  }
  return (
    <TextInput
      {...controlProps(props)}
      // Numbers use text inputs: a number input would round them.
      inputMode={inputModes[column.type]}
      maxLength={column.type === 'text' ? maxLength : undefined}
      description={isRounded ? grid.rounded(1) : props.isOptional ? record.generatedKey : help}
      className={isNumberType(column.type) ? 'is-digits' : undefined}
      autoComplete="off"
      value={isTyping ? text : amountText(column, text, tables)}
      onChange={(event) => {
        setRounded(false)
        change(event.currentTarget.value)
      }}
      onFocus={({ currentTarget }) => {
        if (isTyping) return
        flushSync(() => setTyping(true))
        // On focus, the browser selects only the text that the field had before.
        currentTarget.select()
      }}
      onBlur={() => {
        setTyping(!isAmount)
        round()
      }}
    />
  )
}

/** An amount as the grid shows it; other text as typed. */
function amountText(column: ColumnInfo, text: string, words: { yes: string; no: string }): string {
  const number = toJsonNumber(text, decimalMark())
  return number === null ? text : displayText(number, withAllDigits(column), words)
}

/** The rounded text of a number with more decimal places than its column keeps; null for other text. */
function roundedDraft({ type, options }: ColumnInfo, text: string): string | null {
  const number = isNumberType(type) && options.precision !== undefined ? toJsonNumber(text, decimalMark(), type) : null
  const rounded = number === null ? null : roundDecimal(number, Number(options.scale ?? 0))
  return rounded === null ? null : toTypedNumber(rounded, decimalMark(), type)
}

/** The column's constraints, where the control does not show them. */
function useHelp({ type, options }: ColumnInfo): string | undefined {
  const { record } = useStrings()
  const { min, max, minLength, maxLength, pattern } = options as Record<string, string | number | undefined>
  const display = (bound: string | number | undefined) =>
    bound === undefined
      ? undefined
      : type === 'dateTime'
        ? formatTimestamp(String(bound), options)
        : type === 'date'
          ? formatDate(`${bound}T00:00:00`, options)
          : isNumberType(type)
            ? toTypedNumber(String(bound), decimalMark(), type)
            : bound
  const parts = [
    record.range(display(min), display(max)),
    record.length(minLength, maxLength),
    pattern === undefined ? '' : record.pattern(String(pattern)),
    type === 'dateTime' ? record.zone(localTimeZone()) : '',
  ]
  return parts.filter(Boolean).join(' ') || undefined
}

function LongTextField(props: FieldProps) {
  const { column, draft, change } = props
  return (
    <Textarea
      {...controlProps(props)}
      description={useHelp(column)}
      autosize
      minRows={3}
      maxRows={16}
      value={String(draft ?? '')}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

function CheckboxField({ column, draft, change, error }: FieldProps) {
  const problemId = useId()
  return (
    <div className="check-field">
      <label className="check">
        <input
          type="checkbox"
          name={column.name}
          checked={draft === true}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : problemId}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {column.name}
      </label>
      <p id={problemId} className="alert">
        {error}
      </p>
    </div>
  )
}

function RatingField(props: FieldProps) {
  const { column, draft, change } = props
  const { record } = useStrings()
  const { name: _, ...wrapper } = controlProps(props)
  const max = Number(column.options.max ?? 5)
  return (
    <Input.Wrapper {...wrapper} labelElement="div">
      <Rating
        name={column.name}
        aria-label={column.name}
        count={max}
        allowClear={!column.required}
        value={Number(draft) || 0}
        onChange={(stars) => change(stars ? String(stars) : '')}
        getSymbolLabel={(stars) => (stars ? record.stars(stars, max) : record.empty)}
      />
    </Input.Wrapper>
  )
}

const answers = { '': null, true: true, false: false } as const

function BooleanSelect(props: FieldProps) {
  const { record, tables } = useStrings()
  const { draft, change } = props
  return (
    <NativeSelect
      {...controlProps(props)}
      value={draft === null ? '' : String(draft)}
      onChange={(event) => change(answers[event.currentTarget.value as keyof typeof answers])}
      data={[
        { value: '', label: record.empty },
        { value: 'true', label: tables.yes },
        { value: 'false', label: tables.no },
      ]}
    />
  )
}
