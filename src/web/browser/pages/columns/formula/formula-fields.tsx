import { Button, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useLayoutEffect, useRef, useState } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ApiError } from '../../../api/api-error'
import { useFieldError } from '../../../components/form/form'
import { useStrings } from '../../../language'
import type { FormulaValues } from '../../../records/values/column-data'
import type { DraftProps } from '../column-draft'
import { type ColumnDraft, formulaOption } from '../column-draft'
import { Completion, type TypedWord, wordBefore } from './completion'
import { FormulaPreview } from './formula-preview'
import { useFormulaPreview } from './formula-query'
import { FormulaWords } from './formula-words'

/** The delay before problems are shown: an unfinished formula has problems that its author knows about. */
const problemDelayMs = 1500

/** Edits a formula in spreadsheet notation or in SQL, with a preview of its values in the first records. */
export function FormulaFields({ draft, set, table }: DraftProps & { table: TableView }) {
  const { columns: words } = useStrings()
  const option = formulaOption(draft)
  const isSql = option === 'expression'
  const text = draft.options[option] ?? ''
  const change = (options: ColumnDraft['options']) => set({ ...draft, options: { ...draft.options, ...options } })
  const { field, insert } = useInsertion(text, (changed) => change({ [option]: changed }))
  const { preview, isCurrent } = useFormulaPreview(table, draft)
  const [word, setWord] = useState<TypedWord | null>(null)
  const complete = (piece: string) => {
    insert(piece, 0, word?.text.length)
    setWord(null)
  }
  const [isFocused, setFocused] = useState(false)
  const [restedText] = useDebouncedValue(text, problemDelayMs)
  const { problem, position } = useProblem(option, preview, isCurrent && (restedText === text || !isFocused))
  return (
    <div className="formula">
      <Languages draft={draft} set={set} preview={preview.data} isCurrent={isCurrent} />
      <Completion table={table} word={word} complete={complete} close={() => setWord(null)}>
        <Textarea
          ref={field}
          name={option}
          label={isSql ? words.expression : words.asFormula}
          // A problem replaces the help, so that the fields below do not move.
          description={problem === undefined ? (isSql ? words.expressionHelp : words.formulaHelp) : undefined}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          classNames={{ input: 'mono', error: 'formula-note', description: 'formula-note' }}
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          required
          withAsterisk={false}
          value={text}
          onChange={({ currentTarget: { value, selectionEnd } }) => {
            change({ [option]: value })
            setWord(isSql ? null : wordBefore(value, selectionEnd))
          }}
          onSelect={({ currentTarget }) => currentTarget.selectionEnd !== word?.end && setWord(null)}
          onFocus={() => setFocused(true)}
          onBlur={() => {
            setFocused(false)
            setWord(null)
          }}
          error={problem}
          aria-invalid={problem !== undefined}
        />
      </Completion>
      <div className="formula-result">
        {position === undefined ? null : <Place text={text} position={position} />}
        <FormulaPreview table={table} preview={problem === undefined && text !== '' ? preview.data : undefined} draft={draft} />
      </div>
      <FormulaWords table={table} isSql={isSql} insert={insert} />
    </div>
  )
}

type LanguagesProps = DraftProps & { preview: FormulaValues | undefined; isCurrent: boolean }

function Languages({ draft, set, preview, isCurrent }: LanguagesProps) {
  const { columns: words } = useStrings()
  const { formula, ...options } = draft.options
  const isSql = formulaOption(draft) === 'expression'
  // Restored when the author switches back from SQL.
  const typed = useRef(formula ?? '')
  const toFormula = () => set({ ...draft, options: { ...options, formula: typed.current } })
  function toSql() {
    typed.current = formula ?? ''
    set({ ...draft, options: { ...options, expression: String(preview?.options.expression ?? options.expression ?? '') } })
  }
  return (
    <Button.Group aria-label={words.formulaLanguage}>
      <Language name={words.asFormula} isChosen={!isSql} choose={toFormula} />
      {/* The preview contains the SQL of the formula. */}
      <Language name="SQL" isChosen={isSql} choose={toSql} isDisabled={Boolean(draft.options[formulaOption(draft)]) && !isCurrent} />
    </Button.Group>
  )
}

type LanguageProps = { name: string; isChosen: boolean; choose: () => void; isDisabled?: boolean }

function Language({ name, isChosen, choose, isDisabled }: LanguageProps) {
  return (
    <Button
      size="compact-sm"
      variant={isChosen ? 'light' : 'default'}
      aria-pressed={isChosen}
      disabled={isDisabled}
      onClick={() => !isChosen && choose()}
    >
      {name}
    </Button>
  )
}

/** Shows the position of the problem that the message describes. @param position in characters from 1 */
function Place({ text, position }: { text: string; position: number }) {
  const [before, after] = [text.slice(0, position - 1), text.slice(position - 1)]
  return (
    <code className="mono formula-place" aria-hidden="true">
      {before}
      <mark>{after || '\u00a0'}</mark>
    </code>
  )
}

/** Inserts text at the cursor of a text area, and places the cursor after it. */
function useInsertion(text: string, change: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (caret.current === null) return
    field.current?.focus()
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })
  /**
   * @param back the number of characters of the piece that follow the cursor
   * @param typed the number of characters before the cursor that it replaces
   */
  function insert(piece: string, back: number, typed = 0) {
    const from = (field.current?.selectionStart ?? text.length) - typed
    const to = field.current?.selectionEnd ?? text.length
    caret.current = from + piece.length - back
    change(text.slice(0, from) + piece + text.slice(to))
  }
  return { field, insert }
}

/** The problem of the formula once its author pauses, or the problem with which the service rejected it. */
function useProblem(
  option: string,
  { error, isSuccess }: ReturnType<typeof useFormulaPreview>['preview'],
  isResting: boolean,
): { problem?: string; position?: number } {
  const refused = useFieldError(option)
  const found = isResting && error instanceof ApiError ? error.fieldProblem(option) : undefined
  if (found) return { problem: found.message, ...(found.position === undefined ? {} : { position: found.position }) }
  return refused === undefined || isSuccess ? {} : { problem: refused }
}
