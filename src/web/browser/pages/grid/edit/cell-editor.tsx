import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useStrings } from '../../../language'
import { momentControl } from '../../../values/timestamps'
import { type Kind, kindOf } from '../data/cell-kinds'
import { editedText, NotJson, typedValue } from './cell-input'
import { ChoiceEditor } from './choice-editor'
import { type EditorProps, type Leave, leaveBy } from './editor-keys'

const chosen: Kind[] = ['select', 'multiSelect', 'link', 'manyLinks', 'person']

/** What a cell is edited with. */
export function CellEditor(props: EditorProps) {
  const kind = kindOf(props.column)
  if (chosen.includes(kind)) return <ChoiceEditor {...props} />
  return <TextEditor {...props} kind={kind} />
}

function TextEditor({ column, value, typed, label, commit, cancel, kind }: EditorProps & { kind: Kind }) {
  const { record } = useStrings()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const problemId = useId()
  const before = editedText(value, column)
  // The browser's own fields for days and times take no key that was typed before them: whoever types writes a line.
  const type = typed === null ? momentControl(kind, before) : undefined
  const [text, setText] = useState(typed ?? before)
  const [isWrong, setWrong] = useState(false)
  const isDone = useRef(false)
  const isLong = kind === 'longText' || kind === 'json'

  useEffect(() => {
    field.current?.focus()
    if (!type) field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [type])

  const finish = (leave: Leave) => {
    if (isDone.current) return
    const wanted = typedValue(text, column)
    // Nothing is lost by a slip: who goes elsewhere is told at the cell.
    if (wanted instanceof NotJson && leave !== 'stay') return setWrong(true)
    isDone.current = true
    // A field of the browser that is filled in half has no value, and must not clear what was there.
    if (text === before || field.current?.validity.badInput) cancel()
    else commit(wanted, leave)
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
    'aria-invalid': isWrong || undefined,
    'aria-describedby': isWrong ? problemId : undefined,
    spellCheck: kind === 'longText',
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value)
      setWrong(false)
    },
    onKeyDown: press,
    onBlur: () => finish('stay'),
  }
  if (isLong)
    return (
      <>
        <textarea {...shared} rows={6} />
        {isWrong ? (
          <span id={problemId} role="alert" className="grid-problem is-below">
            {record.invalidJson(0)}
          </span>
        ) : null}
      </>
    )
  return (
    <input
      {...shared}
      type={type ?? 'text'}
      step={type && kind !== 'date' ? (/\.\d/.test(before) ? 0.001 : 1) : undefined}
      max={type === 'date' ? '9999-12-31' : type === 'datetime-local' ? '9999-12-31T23:59:59.999' : undefined}
      inputMode={kind === 'number' ? 'decimal' : undefined}
    />
  )
}
