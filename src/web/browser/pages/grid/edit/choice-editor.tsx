import { Popover } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useContext, useEffect, useId, useRef, useState } from 'react'
import { queryClient, tablesQuery } from '../../../api/queries'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { choicesQuery } from '../../record/data/linked-records'
import { peopleQuery } from '../../record/data/people'
import { chipOf, choicesOf, kindOf, sourceOf } from '../data/cell-kinds'
import { type Column, plainText } from '../data/cell-values'
import { LabelsContext } from '../view/link-labels-context'
import { type EditorProps, leaveBy } from './editor-keys'

type Option = { value: string; label: string; color?: string }

/** For what is chosen from: words, or records of another table, which are searched for as one types. */
export function ChoiceEditor({ column, value, typed, label, commit, cancel }: EditorProps) {
  const { grid } = useStrings()
  const labels = useContext(LabelsContext)
  const list = useId()
  const kind = kindOf(column)
  const isMany = kind === 'multiSelect' || kind === 'manyLinks'
  const isLink = kind === 'link' || kind === 'manyLinks' || kind === 'person'
  const [text, setText] = useState(typed ?? '')
  const [chosen, setChosen] = useState<string[]>([value ?? []].flat().map(plainText))
  const [marked, setMarked] = useState(isMany && !typed ? -1 : 0)
  const options = useOptions(column, text)
  const input = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  useEffect(() => input.current?.focus(), [])

  const shown: Option[] = options ?? []
  const current = shown[Math.min(marked, shown.length - 1)]
  const finish = (keys: string[], leave: Parameters<typeof commit>[1]) => {
    if (isDone.current) return
    isDone.current = true
    commit(isMany ? keys : (keys[0] ?? null), leave)
  }
  const choose = (option: Option, leave: Parameters<typeof commit>[1]) => {
    if (isLink) labels.learn(sourceOf(column), option.value, option.label)
    if (!isMany) return finish([option.value], leave)
    setText('')
    setChosen(chosen.includes(option.value) ? chosen.filter((each) => each !== option.value) : [...chosen, option.value])
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    const leave = leaveBy(event)
    if (event.key === 'ArrowDown') setMarked(Math.min(marked + 1, shown.length - 1))
    else if (event.key === 'ArrowUp') setMarked(Math.max(marked - 1, isMany ? -1 : 0))
    else if (event.key === 'Escape') {
      isDone.current = true
      cancel()
    } else if (event.key === 'Backspace' && text === '' && chosen.length > 0) isMany ? setChosen(chosen.slice(0, -1)) : finish([], 'stay')
    else if (event.key === 'Enter' && isMany && (event.ctrlKey || !current)) finish(chosen, 'down')
    else if (event.key === 'Enter' && current) choose(current, leave ?? 'down')
    else if (leave) finish(isMany || text === '' || !current ? chosen : [current.value], leave)
    else return
    event.preventDefault()
  }

  return (
    <Popover opened position="bottom-start" offset={2} shadow="md" withRoles={false} transitionProps={{ duration: 0 }} zIndex={350}>
      <Popover.Target>
        <input
          ref={input}
          className="grid-editor"
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-autocomplete="list"
          aria-controls={list}
          aria-activedescendant={current ? `${list}-${shown.indexOf(current)}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={isMany ? chosen.map((key) => labelOf(key)).join(', ') : labelOf(chosen[0] ?? '')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setMarked(0)
          }}
          onKeyDown={press}
          onBlur={() => finish(chosen, 'stay')}
        />
      </Popover.Target>
      <Popover.Dropdown className="grid-options" onMouseDown={(event) => event.preventDefault()}>
        <div role="listbox" id={list} aria-label={label} aria-multiselectable={isMany}>
          {shown.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
            <div
              key={option.value}
              id={`${list}-${index}`}
              role="option"
              aria-selected={chosen.includes(option.value)}
              className={option === current ? 'grid-option is-marked' : 'grid-option'}
              ref={option === current ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
              onClick={() => choose(option, 'stay')}
            >
              <span className="grid-chip" {...chipOf(option.color)}>
                {option.label}
              </span>
              {chosen.includes(option.value) ? <Icon name="check" size={15} /> : null}
            </div>
          ))}
        </div>
        {options && shown.length === 0 ? <p className="grid-options-note">{grid.noMatches}</p> : null}
        {options ? null : <p className="grid-options-note">{grid.searching}</p>}
      </Popover.Dropdown>
    </Popover>
  )

  function labelOf(key: string): string {
    return isLink && key ? (labels.labelOf(sourceOf(column), key) ?? key) : key
  }
}

/** What there is to choose from; null while it is searched for. */
function useOptions(column: Column, text: string): Option[] | null {
  const kind = kindOf(column)
  const isFound = kind === 'link' || kind === 'manyLinks' || kind === 'person'
  const wanted = text.trim()
  const { data } = useQuery({
    queryKey: ['choices', sourceOf(column), wanted],
    enabled: isFound,
    queryFn: () => (kind === 'person' ? searchPeople(wanted) : searchRecords(String(column.options.table), wanted)),
  })
  if (isFound) return data ?? null
  return choicesOf(column)
    .filter(({ value }) => holds(value, wanted))
    .map(({ value, color }) => ({ value, label: value, color }))
}

const holds = (text: string, wanted: string) => text.toLowerCase().includes(wanted.toLowerCase())

async function searchRecords(tableId: string, text: string): Promise<Option[]> {
  const table = (await queryClient.ensureQueryData(tablesQuery)).find(({ id }) => id === tableId)
  return table ? queryClient.fetchQuery(choicesQuery(table, text)) : []
}

async function searchPeople(text: string): Promise<Option[]> {
  const people = await queryClient.fetchQuery(peopleQuery)
  return people.filter(({ name, isGone }) => !isGone && holds(name, text)).map(({ id, name }) => ({ value: id, label: name }))
}
