import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { ChoiceEditor } from './choice-editor'
import { type EditorProps, type Leave, leaveBy } from './editing-keys'
import { type Kind, kindOf } from './kinds'
import { editedText, typedValue } from './parse'

const chosen: Kind[] = ['select', 'multiSelect', 'link', 'manyLinks', 'person']

/** What a cell is edited with. */
export function CellEditor(props: EditorProps) {
  const kind = kindOf(props.column)
  if (chosen.includes(kind)) return <ChoiceEditor {...props} />
  return <TextEditor {...props} kind={kind} />
}

const inputTypes: Partial<Record<Kind, string>> = { date: 'date', dateTime: 'datetime-local', time: 'time' }

function TextEditor({ column, value, typed, label, commit, cancel, kind }: EditorProps & { kind: Kind }) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const before = editedText(value, column)
  const type = inputTypes[kind]
  // The browser's own fields for days and times take keys themselves, digit by digit.
  const [text, setText] = useState(type ? before : (typed ?? before))
  const isDone = useRef(false)
  const isLong = kind === 'longText' || kind === 'json'

  useEffect(() => {
    field.current?.focus()
    if (!type) field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [type])

  const finish = (leave: Leave) => {
    if (isDone.current) return
    isDone.current = true
    // A field of the browser that is filled in half has no value, and must not clear what was there.
    if (text === before || field.current?.validity.badInput) cancel()
    else commit(typedValue(text, column), leave)
    if (text === before && leave !== 'stay') commit(value, leave)
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    const leave = leaveBy(event, isLong)
    if (event.key !== 'Escape' && !leave) return
    event.preventDefault()
    if (leave) return finish(leave)
    isDone.current = true
    cancel()
  }
  const shared = {
    ref: field,
    value: text,
    className: isLong ? 'grid-editor is-long' : 'grid-editor',
    'aria-label': label,
    spellCheck: isLong,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    onKeyDown: press,
    onBlur: () => finish('stay'),
  }
  if (isLong) return <textarea {...shared} rows={6} />
  return (
    <input
      {...shared}
      type={type ?? 'text'}
      step={type && kind !== 'date' ? 1 : undefined}
      inputMode={kind === 'number' ? 'decimal' : undefined}
    />
  )
}
