import { Menu, type MenuProps } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useLazyMount } from './use-lazy-mount'

type ButtonProps = { ref?: RefObject<HTMLButtonElement | null>; onClick?: () => void; 'aria-haspopup'?: 'menu'; 'aria-expanded'?: boolean }

type LazyMenuProps = { button: ReactElement<ButtonProps>; width?: MenuProps['width']; children: ReactNode }

/** A button that opens a menu. Before the menu first opens, only the button is rendered. */
export function LazyMenu({ button, width, children }: LazyMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const { isMounted, isShown } = useLazyMount(isOpen)
  const target = useRef<HTMLButtonElement>(null)
  // Mounting the menu replaces the button, so the focus moves to the new one.
  useLayoutEffect(() => {
    if (isMounted) target.current?.focus({ preventScroll: true })
  }, [isMounted])
  if (!isMounted) return cloneElement(button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: () => setOpen(true) })
  return (
    <Menu position="bottom-end" width={width} opened={isShown} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { ref: target })}</Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
