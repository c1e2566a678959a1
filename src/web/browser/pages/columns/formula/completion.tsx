import { Combobox, useCombobox } from '@mantine/core'
import { type ReactElement, useEffect } from 'react'
import type { TableView } from '../../../../../tables/model'
import { ColumnTypeIcon } from '../../../components/column-type-icon'
import { useStrings } from '../../../language'
import { formulaColumns, useFunctionHelp, writtenColumn } from './formula-words'

/** The word that is being typed, with its opening brace if it has one, and the cursor position after it. */
export type TypedWord = { text: string; end: number }

const maxOffered = 6

export function wordBefore(formula: string, end: number): TypedWord | null {
  const before = formula.slice(0, end)
  // Words in quoted text are not names.
  if ((before.match(/"/g)?.length ?? 0) % 2 > 0) return null
  const [text] = /(?:\{[^}]*|[\p{L}_][\p{L}\p{N}\p{M}_]*)$/u.exec(before) ?? []
  return text === undefined || text === '{' ? null : { text, end }
}

type Offer = { name: string; type?: string; takes?: string; piece: string }

function useOffers(table: TableView, word: TypedWord | null): Offer[] {
  const { data: help } = useFunctionHelp()
  if (!word) return []
  const sought = word.text.replace('{', '').toLowerCase()
  const columns = formulaColumns(table, false).map(({ name, type }) => ({ name, type, piece: writtenColumn(name, false) }))
  const functions = Object.entries(help ?? {}).map(([name, [takes]]) => ({ name, takes, piece: `${name}(${takes === '' ? ')' : ''}` }))
  const offers = [...columns, ...(word.text.startsWith('{') ? [] : functions)].filter(({ name }) => name.toLowerCase().startsWith(sought))
  return offers.some(({ name }) => name.toLowerCase() === sought) ? [] : offers.slice(0, maxOffered)
}

type CompletionProps = {
  table: TableView
  word: TypedWord | null
  /** Replaces the word with the piece. */
  complete: (piece: string) => void
  close: () => void
  children: ReactElement
}

/** Offers the columns and functions that begin with the word before the cursor. Enter inserts the highlighted one. */
export function Completion({ table, word, complete, close, children }: CompletionProps) {
  const { columns: words } = useStrings()
  const offers = useOffers(table, word)
  const isOpen = offers.length > 0
  const store = useCombobox({ opened: isOpen, onOpenedChange: (opened) => !opened && close() })
  const names = offers.map(({ name }) => name).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store is a new object each time
  useEffect(() => {
    if (names) store.selectFirstOption()
  }, [names])
  return (
    <Combobox store={store} position="bottom-start" offset={2} width="max-content" shadow="md" onOptionSubmit={complete}>
      <Combobox.Target withKeyboardNavigation={isOpen}>{children}</Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={words.formulaWords}>
          {offers.map(({ name, type, takes, piece }) => (
            <Combobox.Option key={piece} value={piece} className="type-option">
              {type === undefined ? null : <ColumnTypeIcon type={type} size={16} />}
              {takes === undefined ? name : <code className="mono">{`${name}(${takes})`}</code>}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
