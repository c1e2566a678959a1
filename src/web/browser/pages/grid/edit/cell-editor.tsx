import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useStrings } from '../../../language'
import { dateInputType } from '../../../values/timestamps'
import { type CellKind, cellKind } from '../data/cell-kinds'
import { InvalidJsonInput, parseInput, toEditorText } from './cell-input'
import { ChoiceEditor } from './choice-editor'
import { type EditorProps, type ExitDirection, exitDirection } from './editor-keys'

const choiceKinds: CellKind[] = ['select', 'multiSelect', 'link', 'manyLinks', 'person']

/** The editor of a cell. */
export function CellEditor(props: EditorProps) {
  const kind = cellKind(props.column)
  if (choiceKinds.includes(kind)) return <ChoiceEditor {...props} />
  return <TextEditor {...props} kind={kind} />
}

function TextEditor({ column, value, typed, label, commit, cancel, kind }: EditorProps & { kind: CellKind }) {
  const { record } = useStrings()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const problemId = useId()
  const before = toEditorText(value, column)
  // The browser's date and time inputs cannot start with a typed key, so typing opens a text input.
  const type = typed === null ? dateInputType(kind, before) : undefined
  const [text, setText] = useState(typed ?? before)
  const [isInvalid, setInvalid] = useState(false)
  const isDone = useRef(false)
  const isTyping = useRef(typed !== null)
  const isLong = kind === 'longText' || kind === 'json'

  useEffect(() => {
    field.current?.focus()
    if (!type) field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [type])

  const finish = (leave: ExitDirection) => {
    if (isDone.current) return
    const parsed = parseInput(text, column)
    // Invalid JSON is not discarded: the editor stays open and shows the error.
    if (parsed instanceof InvalidJsonInput && leave !== 'stay') return setInvalid(true)
    isDone.current = true
    // A partly filled date or time input has an empty value, which must not clear the cell.
    if (text === before || field.current?.validity.badInput) cancel()
    else commit(parsed, leave)
    if (text === before && leave !== 'stay') commit(value, leave)
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    const leave = exitDirection(event, { isLong, isTyping: isTyping.current })
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
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': isInvalid ? problemId : undefined,
    spellCheck: kind === 'longText',
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value)
      setInvalid(false)
    },
    onKeyDown: press,
    // A click places the cursor, which the arrows move from now on.
    onMouseDown: () => {
      isTyping.current = false
    },
    onBlur: () => finish('stay'),
  }
  if (isLong)
    return (
      <>
        <textarea {...shared} rows={6} />
        {isInvalid ? (
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
