import { Menu, type MenuProps } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useLate } from './use-lazy-mount'

type ButtonProps = { ref?: RefObject<HTMLButtonElement | null>; onClick?: () => void; 'aria-haspopup'?: 'menu'; 'aria-expanded'?: boolean }

type LateMenuProps = { button: ReactElement<ButtonProps>; width?: MenuProps['width']; children: ReactNode }

/** A menu behind a button; until it is opened there is the button only. */
export function LateMenu({ button, width, children }: LateMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const { isMade, isShown } = useLate(isOpen)
  const target = useRef<HTMLButtonElement>(null)
  // The button has been made anew with the menu: the focus comes along.
  useLayoutEffect(() => {
    if (isMade) target.current?.focus({ preventScroll: true })
  }, [isMade])
  if (!isMade) return cloneElement(button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setOpen(true) })
  return (
    <Menu position="bottom-end" width={width} opened={isShown} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { ref: target })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
