import { wordsFor } from './api'

type Tags = HTMLElementTagNameMap
type Child = Node | string | null

/** Text is only ever set as text: nothing that comes from the service can become markup. */
export function el<K extends keyof Tags>(tag: K, properties: Partial<Tags[K]>, ...children: Child[]): Tags[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children.filter((child) => child !== null))
  return element
}

export const link = (href: string, text: string) => el('a', { href, textContent: text })

/** A labelled control with an optional line of help below. */
export function field(label: string, control: HTMLInputElement | HTMLSelectElement, help = ''): HTMLElement {
  control.id = `field-${control.name}`
  if (!help) return el('div', { className: 'field' }, el('label', { htmlFor: control.id, textContent: label }), control)
  const helpId = `${control.id}-help`
  control.setAttribute('aria-describedby', helpId)
  const line = el('p', { id: helpId, className: 'help', textContent: help })
  return el('div', { className: 'field' }, el('label', { htmlFor: control.id, textContent: label }), control, line)
}

export const select = (name: string, options: [value: string, text: string][], chosen: string) =>
  el('select', { name }, ...options.map(([value, text]) => el('option', { value, textContent: text, defaultSelected: value === chosen })))

/** A button whose work may fail; a second press while it runs does nothing. */
export function button(text: string, className: string, work: () => Promise<void>, notice: HTMLElement): HTMLButtonElement {
  const element = el('button', { type: 'button', className, textContent: text })
  element.onclick = () => run(element, notice, work)
  return element
}

/** A form that hands over its values, and shows the reason when they are refused. */
export function form(fields: Node[], action: string, submit: (values: Record<string, string>) => Promise<void>): HTMLFormElement {
  const notice = alertLine()
  const send = el('button', { type: 'submit', className: 'primary', textContent: action })
  const element = el('form', {}, ...fields, notice, send)
  element.onsubmit = (event) => {
    event.preventDefault()
    const values = Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, String(value)]))
    run(send, notice, () => submit(values))
  }
  return element
}

export function alertLine(): HTMLElement {
  return el('p', { role: 'alert', className: 'alert' })
}

// Not `disabled`: that would take the focus away from people who use the keyboard.
async function run(pressed: HTMLButtonElement, notice: HTMLElement, work: () => Promise<void>) {
  if (pressed.ariaBusy === 'true') return
  pressed.ariaBusy = 'true'
  notice.textContent = ''
  try {
    await work()
  } catch (error) {
    notice.textContent = wordsFor(error)
  } finally {
    pressed.ariaBusy = null
  }
}
