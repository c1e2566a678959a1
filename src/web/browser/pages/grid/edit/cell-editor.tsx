import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useStrings } from '../../../language'
import { type CellKind, cellKind } from '../../../records/values/cell-kinds'
import { dateInputType } from '../../../values/timestamps'
import { parseInput, toEditorText } from './cell-input'
import { ChoiceEditor } from './choice-editor'
import { type EditorProps, type ExitDirection, exitDirection } from './editor-keys'
import { UnreadableInput } from './unreadable-input'

const choiceKinds: CellKind[] = ['select', 'multiSelect', 'link', 'manyLinks', 'person']

/** The editor of a cell. */
export function CellEditor(props: EditorProps) {
  const kind = cellKind(props.column)
  if (choiceKinds.includes(kind)) return <ChoiceEditor {...props} />
  return <TextEditor {...props} kind={kind} />
}

function TextEditor({ column, value, typed, refused, label, commit, cancel, kind }: EditorProps & { kind: CellKind }) {
  const { grid } = useStrings()
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const problemId = useId()
  const before = toEditorText(value, column)
  // The browser's date and time inputs cannot start with a typed key, so typing opens a text input.
  const type = typed === null && !refused ? dateInputType(kind, before) : undefined
  const [text, setText] = useState(typed ?? refused?.text ?? before)
  const [problem, setProblem] = useState<string | null>((typed === null && refused?.reason) || null)
  const isDone = useRef(false)
  const isTyping = useRef(typed !== null)
  const isLong = kind === 'longText' || kind === 'json'

  useEffect(() => {
    field.current?.focus()
    if (!type) field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [type])

  const finish = (leave: ExitDirection) => {
    if (isDone.current) return
    const isUnchanged = !refused && text === before
    // A partly filled date or time input has an empty value, which must not clear the cell.
    const isPartial = field.current?.validity.badInput === true
    const parsed = isPartial ? new UnreadableInput(text, kind === 'date' || kind === 'time' ? kind : 'dateTime') : parseInput(text, column)
    const isWrong = parsed instanceof UnreadableInput && (isPartial || !isUnchanged)
    // What cannot be read is not discarded: the editor stays open and shows the reason.
    if (isWrong && leave !== 'stay') return setProblem(grid.inputProblems[parsed.problem])
    isDone.current = true
    if (isUnchanged || isPartial) cancel()
    else commit(parsed, leave)
    if (isUnchanged && leave !== 'stay') commit(value, leave)
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
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem ? problemId : undefined,
    spellCheck: kind === 'longText',
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      setText(event.currentTarget.value)
      setProblem(null)
    },
    onKeyDown: press,
    // A click places the cursor, which the arrows move from now on.
    onMouseDown: () => {
      isTyping.current = false
    },
    onBlur: () => finish('stay'),
  }
  const message = problem ? (
    <span id={problemId} role="alert" className={isLong ? 'grid-problem is-below' : 'grid-problem'}>
      {problem}
    </span>
  ) : null
  if (isLong)
    return (
      <>
        <textarea {...shared} rows={6} />
        {message}
      </>
    )
  return (
    <>
      <input
        {...shared}
        type={type ?? 'text'}
        step={type && kind !== 'date' ? (/\.\d/.test(before) ? 0.001 : 1) : undefined}
        max={type === 'date' ? '9999-12-31' : type === 'datetime-local' ? '9999-12-31T23:59:59.999' : undefined}
        inputMode={kind === 'number' ? 'decimal' : undefined}
      />
      {message}
    </>
  )
}
