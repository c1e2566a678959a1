import { Combobox, useCombobox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useContext, useEffect, useId, useRef, useState } from 'react'
import { columnChoices } from '../../../../../tables/choice-colors'
import { queryClient, tablesQuery } from '../../../api/queries'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { cellKind, chipProps, linkSource } from '../../../records/values/cell-kinds'
import { type GridColumn, toPlainText } from '../../../records/values/cell-values'
import { LinkLabelsContext } from '../../../records/values/link-labels'
import { recordChoicesQuery } from '../../../records/values/linked-records'
import { peopleQuery } from '../../../records/values/people'
import { type EditorProps, type ExitDirection, exitDirection } from './editor-keys'

/** `isNew`: choosing the option adds it to the choices of the column. */
type Option = { value: string; label: string; color?: string; isNew?: true }

/** Selects one or more choices, or records of another table, with search. */
export function ChoiceEditor({ label, ...props }: EditorProps) {
  const list = useId()
  const { store, text, type, press, leave, choose, chosen, options, visibleOptions, current, isMany, labelOf } = useChoiceEditing(props)

  return (
    <Combobox
      store={store}
      position="bottom-start"
      offset={2}
      width="max-content"
      shadow="md"
      zIndex={350}
      onOptionSubmit={(key) => choose(visibleOptions.find((option) => option.value === key)!, 'stay')}
    >
      {/* The keys are our own: the first option is highlighted, Tab chooses it, Enter without an option commits. */}
      <Combobox.Target withKeyboardNavigation={false} withAriaAttributes={false}>
        <input
          className="grid-editor"
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-autocomplete="list"
          aria-controls={list}
          aria-activedescendant={current && `${list}-${visibleOptions.indexOf(current)}`}
          autoComplete="off"
          spellCheck={false}
          placeholder={isMany ? chosen.map((key) => labelOf(key)).join(', ') : labelOf(chosen[0] ?? '')}
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={press}
          onBlur={leave}
        />
      </Combobox.Target>
      <ChoiceOptions id={list} label={label} isMany={isMany} options={options} current={current} chosen={chosen} />
    </Combobox>
  )
}

type ChoiceEditing = Omit<EditorProps, 'label'>

/** The text and the options of the editor. */
function useChoiceEditing({ typed, ...props }: ChoiceEditing) {
  const { column, addChoice, cancel } = props
  const { grid } = useStrings()
  const labels = useContext(LinkLabelsContext)
  const { isMany, isLink } = choiceKind(column)
  const [text, setText] = useState(typed ?? '')
  const [activeIndex, setActiveIndex] = useState(isMany && !typed ? -1 : 0)
  const { chosen, setChosen, added, isAdding, end, finish, choose, take, leave } = useChosen(props, () => setText(''))
  const found = useOptions(column, text)
  const isNew = addChoice !== null && !isLink && isNewChoice(column, text, added)
  const newOption: Option = { value: text.trim(), label: grid.addChoice(text.trim()), isNew: true }
  const options = isNew && found ? [...found, newOption] : found
  const store = useCombobox({ opened: true })
  const { targetRef } = store
  /** The direction in which to leave once the search has ended. */
  const [pendingLeave, setPendingLeave] = useState<ExitDirection | null>(null)
  useEffect(() => targetRef.current?.focus(), [targetRef])

  const visibleOptions: Option[] = options ?? []
  const current = visibleOptions[Math.min(activeIndex, visibleOptions.length - 1)]
  // If Enter is pressed before the search has ended, the first match is chosen when it arrives.
  useEffect(() => {
    if (pendingLeave === null || options === null) return
    setPendingLeave(null)
    if (current && !current.isNew) take(current, pendingLeave)
  })
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    if (isAdding()) return event.preventDefault()
    const exit = exitDirection(event)
    if (exit && text.trim() !== '' && !current) {
      // If nothing matches, the editor stays open and says so.
      setPendingLeave(options === null ? exit : null)
      return event.preventDefault()
    }
    if (event.key === 'ArrowDown') setActiveIndex(Math.min(activeIndex + 1, visibleOptions.length - 1))
    else if (event.key === 'ArrowUp') setActiveIndex(Math.max(activeIndex - 1, isMany ? -1 : 0))
    else if (event.key === 'Escape') end(cancel)
    else if (event.key === 'Backspace' && text === '' && chosen.length > 0) isMany ? setChosen(chosen.slice(0, -1)) : finish([], 'stay')
    else if (event.key === 'Enter' && isMany && (exit === 'here' || !current)) finish(chosen, exit ?? 'next')
    else if (event.key === 'Enter' && current) choose(current, exit ?? 'next')
    // Leaving by another key never creates a choice.
    else if (exit && text !== '' && current && !current.isNew) take(current, exit)
    else if (exit) finish(chosen, exit)
    else return
    event.preventDefault()
  }

  const type = (next: string) => {
    setText(next)
    setActiveIndex(0)
    setPendingLeave(null)
  }
  const labelOf = (key: string): string => (isLink && key ? (labels.labelOf(linkSource(column), key) ?? key) : key)
  return { store, text, type, press, leave, choose, chosen, options, visibleOptions, current, isMany, labelOf }
}

/** The chosen values, and the ways to end the editor. */
function useChosen({ column, value, addChoice, commit, cancel }: Omit<ChoiceEditing, 'typed'>, clearText: () => void) {
  const labels = useContext(LinkLabelsContext)
  const { isMany, isLink } = choiceKind(column)
  const [first] = useState<string[]>(() => [value ?? []].flat().map(toPlainText))
  const [chosen, setChosen] = useState(first)
  const added = useRef(new Set<string>()).current
  const isDone = useRef(false)
  /** Whether a choice is being added. It is chosen afterwards; until then, nothing else closes the editor. */
  const isAdding = useRef(false)
  const isLeft = useRef(false)

  const end = (how: () => void) => {
    if (isDone.current) return
    isDone.current = true
    how()
  }
  const finish = (keys: string[], exit: ExitDirection) => {
    const isUnchanged = keys.length === first.length && keys.every((key, index) => key === first[index])
    end(() => commit(isUnchanged ? value : isMany ? keys : (keys[0] ?? null), exit))
  }
  const choose = (option: Option, exit: ExitDirection) => {
    if (option.isNew) return void takeNew(option.value, exit)
    if (isLink) labels.set(linkSource(column), option.value, option.label)
    if (!isMany) return finish([option.value], exit)
    clearText()
    setChosen((before) => (before.includes(option.value) ? before.filter((each) => each !== option.value) : [...before, option.value]))
  }
  /** Chooses an option and leaves; in a list of choices, Enter keeps the editor open. */
  const take = (option: Option, exit: ExitDirection) => {
    if (!isMany || exit === 'next') return choose(option, exit)
    if (isLink) labels.set(linkSource(column), option.value, option.label)
    finish([...new Set([...chosen, option.value])], exit)
  }
  const takeNew = async (choice: string, exit: ExitDirection) => {
    // If the choice is rejected, the text stays, and a message says why.
    if (isDone.current || isAdding.current) return
    isAdding.current = true
    const isAdded = await addChoice!(choice)
    isAdding.current = false
    if (!isAdded) return
    added.add(choice)
    if (!isLeft.current) return choose({ value: choice, label: choice }, exit)
    // The user has moved on in the meantime.
    end(() => commit(isMany ? [...chosen, choice] : choice, 'stay'))
  }
  const leave = () => {
    if (!isAdding.current) return finish(chosen, 'stay')
    isLeft.current = true
    cancel()
  }
  return { chosen, setChosen, added, isAdding: () => isAdding.current, end, finish, choose, take, leave }
}

function choiceKind(column: GridColumn) {
  const kind = cellKind(column)
  return { isMany: kind === 'multiSelect' || kind === 'manyLinks', isLink: kind === 'link' || kind === 'manyLinks' || kind === 'person' }
}

type ChoiceOptionsProps = {
  id: string
  label: string
  isMany: boolean
  /** Null during the search. */
  options: Option[] | null
  current: Option | undefined
  chosen: readonly string[]
}

function ChoiceOptions({ id, label, isMany, options, current, chosen }: ChoiceOptionsProps) {
  const { grid } = useStrings()
  return (
    <Combobox.Dropdown className="grid-options" onMouseDown={(event) => event.preventDefault()}>
      <Combobox.Options id={id} aria-label={label} aria-multiselectable={isMany}>
        {options?.map((option, index) => (
          <Combobox.Option
            key={option.value}
            id={`${id}-${index}`}
            value={option.value}
            selected={option === current}
            aria-selected={chosen.includes(option.value)}
            className="grid-option"
            ref={option === current ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
          >
            <span className="grid-chip" {...chipProps(option.color)}>
              {option.label}
            </span>
            {chosen.includes(option.value) ? <Icon name="check" size={15} /> : null}
          </Combobox.Option>
        ))}
      </Combobox.Options>
      {options?.length ? null : <Combobox.Empty>{options ? grid.noMatches : grid.searching}</Combobox.Empty>}
    </Combobox.Dropdown>
  )
}

/** Whether the column has no choice with this text, ignoring case. */
function isNewChoice(column: GridColumn, text: string, added: ReadonlySet<string>): boolean {
  const wanted = text.trim().toLowerCase()
  const known = [...columnChoices(column).map(({ value }) => value), ...added]
  return wanted !== '' && !known.some((value) => value.toLowerCase() === wanted)
}

/** The options; null during the search. */
function useOptions(column: GridColumn, text: string): Option[] | null {
  const { isLink } = choiceKind(column)
  const search = text.trim()
  const { data } = useQuery({
    queryKey: ['choices', linkSource(column), search],
    // Records may have been created or renamed since the last such search.
    staleTime: 0,
    enabled: isLink,
    queryFn: () => (cellKind(column) === 'person' ? searchPeople(search) : searchRecords(String(column.options.table), search)),
  })
  if (isLink) return data ?? null
  return columnChoices(column)
    .filter(({ value }) => includesText(value, search))
    .map(({ value, color }) => ({ value, label: value, color }))
}

const includesText = (text: string, search: string) => text.toLowerCase().includes(search.toLowerCase())

async function searchRecords(tableId: string, text: string): Promise<Option[]> {
  const table = (await queryClient.ensureQueryData(tablesQuery)).find(({ id }) => id === tableId)
  return table ? queryClient.fetchQuery(recordChoicesQuery(table, text)) : []
}

async function searchPeople(text: string): Promise<Option[]> {
  const people = await queryClient.fetchQuery(peopleQuery)
  return people.filter(({ name, isOffered }) => isOffered && includesText(name, text)).map(({ id, name }) => ({ value: id, label: name }))
}
