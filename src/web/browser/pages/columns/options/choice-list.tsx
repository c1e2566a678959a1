import { ActionIcon, Button, TextInput } from '@mantine/core'
import { type ClipboardEvent, type KeyboardEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { colorAt, nextColor } from '../../../../../tables/choice-colors'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import type { ChoiceDraft } from '../column-draft'
import { ColorSwatches } from './color-swatches'

type ChoiceListProps = { choices: readonly ChoiceDraft[]; change: (choices: ChoiceDraft[]) => void }

/** The ordered choices of a column. Enter adds a choice, and each line of pasted text becomes one. */
export function ChoiceList({ choices, change }: ChoiceListProps) {
  const { columns: words } = useStrings()
  const list = useRef<HTMLUListElement>(null)
  /** Stores the displayed colors: a color derived from the position would change when the choice moves. */
  const colored = () => choices.map((choice, index) => ({ ...choice, color: choice.color || colorAt(index) }))
  const insert = (place: number, values: readonly string[], before: readonly ChoiceDraft[] = choices) => {
    const colors = colored().map((choice) => choice.color)
    const inserted = values.map((value) => {
      const color = nextColor(colors)
      colors.push(color)
      return { value, color }
    })
    // Render synchronously, so that the next key goes into the new field.
    flushSync(() => change(before.toSpliced(place, 0, ...inserted)))
    list.current?.querySelectorAll<HTMLInputElement>('input')[place + values.length - 1]?.focus()
  }
  const add = () => insert(choices.length, [''])
  const paste = (place: number, event: ClipboardEvent<HTMLInputElement>) => {
    const lines = new Set(
      event.clipboardData
        .getData('text/plain')
        .split(/[\r\n\t]+/)
        .map((line) => line.trim())
        .filter(Boolean),
    )
    const [first = '', ...others] = lines
    if (others.length === 0) return
    event.preventDefault()
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const text = value.slice(0, selectionStart ?? 0) + first + value.slice(selectionEnd ?? 0)
    const known = choices.map((choice) => choice.value)
    const added = others.filter((line) => !known.includes(line))
    insert(
      place + 1,
      added,
      colored().map((choice, index) => (index === place ? { ...choice, value: text } : choice)),
    )
  }
  const set = (place: number, part: Partial<ChoiceDraft>) =>
    change(choices.map((choice, index) => (index === place ? { ...choice, ...part } : choice)))
  const swap = (place: number) => {
    const all = colored()
    change(all.map((choice, index) => (index === place ? all[place - 1]! : index === place - 1 ? all[place]! : choice)))
  }
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <fieldset className="choices">
      <legend className="field-label">{words.choices}</legend>
      <ul ref={list}>
        {choices.map((choice, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a choice is identified by its position
          <li key={index} className="choice-row">
            <TextInput
              aria-label={words.choiceAt(index + 1)}
              value={choice.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
              onKeyDown={press}
              onPaste={(event) => paste(index, event)}
              maxLength={200}
            />
            <ColorSwatches
              label={words.colorOf(index + 1)}
              color={choice.color || colorAt(index)}
              change={(color) => set(index, { color })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.choiceUp(index + 1)}
              disabled={index === 0}
              onClick={() => swap(index)}
            >
              <Icon name="up" size={16} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.choiceRemove(index + 1)}
              onClick={() => change(colored().filter((_each, place) => place !== index))}
            >
              <Icon name="trash" size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button variant="default" size="compact-sm" leftSection={<Icon name="plus" size={15} />} onClick={add}>
        {words.addChoice}
      </Button>
    </fieldset>
  )
}
