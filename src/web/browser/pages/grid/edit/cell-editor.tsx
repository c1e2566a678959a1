import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useCalendar } from '../../../fields/use-calendar'
import { useStrings } from '../../../language'
import { type CellKind, cellKind } from '../../../records/values/cell-kinds'
import { problemMessage } from '../../../values/typed-dates'
import { UnreadableInput } from '../../../values/unreadable-input'
import { parseInput, toEditorText } from './cell-input'
import { ChoiceEditor } from './choice-editor'
import { breaksLine, type EditorProps, type ExitDirection, exitDirection } from './editor-keys'

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
  const [text, setText] = useState(typed ?? refused?.text ?? before)
  const [problem, setProblem] = useState<string | null>((typed === null && refused?.reason) || null)
  const isDone = useRef(false)
  const isTyping = useRef(typed !== null)
  // A single-line control would remove line breaks.
  const [isLong] = useState(kind === 'longText' || kind === 'json' || /[\r\n]/.test(text))
  const change = (next: string) => {
    setText(next)
    setProblem(null)
  }
  const calendar = useCalendar({ kind, text, isTabStop: false, pick: (date) => change(toEditorText(date, column)) })

  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])

  const finish = (leave: ExitDirection) => {
    if (isDone.current) return
    const isUnchanged = !refused && text === before
    const parsed = parseInput(text, column)
    const isWrong = parsed instanceof UnreadableInput && !isUnchanged
    // Unreadable input is not discarded: the editor stays open and shows the reason.
    if (isWrong && leave !== 'stay') return setProblem(problemMessage(grid.inputProblems, parsed.problem))
    isDone.current = true
    if (isUnchanged) cancel()
    else commit(parsed, leave)
    if (isUnchanged && leave !== 'stay') commit(value, leave)
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (calendar?.openByKey(event)) return
    const leave = exitDirection(event, { isLong, isTyping: isTyping.current })
    const isBreak = isLong && breaksLine(event)
    if (event.key !== 'Escape' && !leave && !isBreak) return
    event.preventDefault()
    // Not a change of the value: the browser can undo an inserted text like typing.
    if (isBreak) return void document.execCommand('insertText', false, '\n')
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
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
    onKeyDown: press,
    // A click places the cursor, which the arrow keys then move.
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
      <input {...shared} inputMode={kind === 'number' ? 'decimal' : undefined} />
      {calendar?.button}
      {message}
    </>
  )
}
