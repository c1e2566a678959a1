import { ActionIcon, Button, TextInput } from '@mantine/core'
import { type KeyboardEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'
import { colorAt, nextColor } from '../../../values/choice-colors'
import type { ChoiceDraft } from '../column-draft'
import { ColorSwatches } from './color-swatches'

type ChoiceListProps = { choices: readonly ChoiceDraft[]; change: (choices: ChoiceDraft[]) => void }

/** The ordered choices of a column. Enter adds a choice. */
export function ChoiceList({ choices, change }: ChoiceListProps) {
  const { columns: words } = useStrings()
  const list = useRef<HTMLUListElement>(null)
  /** With the colors that are shown: one that comes from the place would change when the choice moves. */
  const colored = () => choices.map((choice, index) => ({ ...choice, color: choice.color || colorAt(index) }))
  const add = () => {
    // Render synchronously, so that the next key goes into the new field.
    const color = nextColor(colored().map((choice) => choice.color))
    flushSync(() => change([...choices, { value: '', color }]))
    ;[...(list.current?.querySelectorAll<HTMLInputElement>('input') ?? [])].at(-1)?.focus()
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
