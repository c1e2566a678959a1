import { ActionIcon, Popover } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { choiceColors } from '../../../../../tables/choice-colors'
import { useStrings } from '../../../language'

type ColorSwatchesProps = { label: string; color: string; change: (color: string) => void }

/** The color of a choice: a button that opens the palette. The arrow keys move in it. */
export function ColorSwatches({ label, color, change }: ColorSwatchesProps) {
  const { columns: words } = useStrings()
  const [isOpen, setOpen] = useState(false)
  const others = choiceColors.some((each) => each === color) ? [] : [color]
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 5, ArrowUp: -5 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const swatches = [...event.currentTarget.querySelectorAll('button')]
    const at = swatches.indexOf(event.target as HTMLButtonElement)
    swatches[Math.max(0, Math.min(swatches.length - 1, at + step))]?.focus()
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus transitionProps={{ duration: 80 }}>
      <Popover.Target>
        <ActionIcon variant="default" size={36} aria-label={label} title={label} onClick={() => setOpen(!isOpen)}>
          <span className="swatch" style={{ background: color }} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons have the focus */}
        <div className="swatches" onKeyDown={press}>
          {[...choiceColors, ...others].map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === color}
              aria-label={words.colors[each as keyof typeof words.colors] ?? each}
              title={words.colors[each as keyof typeof words.colors] ?? each}
              // Escape closes the palette, not the dialog.
              data-mantine-stop-propagation="true"
              data-autofocus={each === color || undefined}
              onClick={() => {
                change(each)
                setOpen(false)
              }}
            >
              <span className="swatch" style={{ background: each }} />
            </button>
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
