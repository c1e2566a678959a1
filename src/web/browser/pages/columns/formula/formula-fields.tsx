import { Button, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ApiError } from '../../../api/api-error'
import { useFieldError } from '../../../components/form/form'
import { useStrings } from '../../../language'
import { fetchFormulaPreview } from '../../../records/values/column-data'
import type { DraftProps } from '../column-draft'
import { type ColumnDraft, formulaOption } from '../column-draft'
import { FormulaPreview } from './formula-preview'
import { FormulaWords } from './formula-words'

const typingDelayMs = 400

/** A formula as in a spreadsheet, or in SQL, with its values in the first records while it is typed. */
export function FormulaFields({ draft, set, table }: DraftProps & { table: TableView }) {
  const { columns: words } = useStrings()
  const option = formulaOption(draft)
  const isSql = option === 'expression'
  const text = draft.options[option] ?? ''
  const change = (options: ColumnDraft['options']) => set({ ...draft, options: { ...draft.options, ...options } })
  const { field, insert } = useInsertion(text, (changed) => change({ [option]: changed }))
  const { preview, isCurrent } = usePreview(table, draft)
  const { problem, position } = useProblem(option, preview)
  // The formula, for an author who comes back from SQL.
  const typed = useRef(draft.options.formula ?? '')
  const toFormula = () => change({ formula: typed.current })
  function toSql() {
    typed.current = text
    const { formula: _, ...options } = draft.options
    set({ ...draft, options: { ...options, expression: String(preview.data?.options.expression ?? options.expression ?? '') } })
  }
  return (
    <div className="formula">
      <Button.Group aria-label={words.formulaLanguage}>
        <Language name={words.asFormula} isChosen={!isSql} choose={toFormula} />
        {/* The SQL of the formula comes with its preview. */}
        <Language name="SQL" isChosen={isSql} choose={toSql} isDisabled={text !== '' && !isCurrent} />
      </Button.Group>
      <Textarea
        ref={field}
        name={option}
        label={isSql ? words.expression : words.asFormula}
        description={isSql ? words.expressionHelp : words.formulaHelp}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        classNames={{ input: 'mono' }}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        required
        withAsterisk={false}
        value={text}
        onChange={(event) => change({ [option]: event.currentTarget.value })}
        error={problem}
        aria-invalid={problem !== undefined}
      />
      {position === undefined ? null : <Place text={text} position={position} />}
      <FormulaPreview table={table} preview={problem === undefined && text !== '' ? preview.data : undefined} draft={draft} />
      <FormulaWords table={table} isSql={isSql} insert={insert} />
    </div>
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

/** The place of a problem. The message says it in words. @param position in characters from 1 */
function Place({ text, position }: { text: string; position: number }) {
  const [before, after] = [text.slice(0, position - 1), text.slice(position - 1)]
  return (
    <code className="mono formula-place" aria-hidden="true">
      {before}
      <mark>{after || '\u00a0'}</mark>
    </code>
  )
}

/** Inserts at the cursor of a text area, and places the cursor after it. */
function useInsertion(text: string, change: (text: string) => void) {
  const field = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (caret.current === null) return
    field.current?.focus()
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })
  /** @param back the number of its last characters that follow the cursor */
  function insert(piece: string, back: number) {
    const from = field.current?.selectionStart ?? text.length
    const to = field.current?.selectionEnd ?? from
    caret.current = from + piece.length - back
    change(text.slice(0, from) + piece + text.slice(to))
  }
  return { field, insert }
}

function usePreview(table: TableView, draft: ColumnDraft) {
  const option = formulaOption(draft)
  const [text] = useDebouncedValue(draft.options[option] ?? '', typingDelayMs)
  const preview = useQuery({
    queryKey: ['formula-preview', table.id, option, text],
    queryFn: () => fetchFormulaPreview(table, { [option]: text }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
    retry: false,
  })
  const isCurrent = text === (draft.options[option] ?? '') && !preview.isPlaceholderData && !preview.isFetching
  return { preview, isCurrent }
}

/** The problem of the formula as it is typed, or the one with which it was refused. */
function useProblem(
  option: string,
  { error, isSuccess }: ReturnType<typeof usePreview>['preview'],
): { problem?: string; position?: number } {
  const refused = useFieldError(option)
  const found = error instanceof ApiError ? error.fieldProblem(option) : undefined
  if (found) return { problem: found.message, ...(found.position === undefined ? {} : { position: found.position }) }
  return refused === undefined || isSuccess ? {} : { problem: refused }
}
