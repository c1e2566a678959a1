import { useLayoutEffect, useState } from 'react'

/**
 * Mounts dialogs and menus when they are first opened. A page has many of them, few are opened, and a closed one costs
 * as much to render as an open one. It opens one render after mounting, as a change from closed to open, so that it
 * knows which element had the focus.
 */
export function useLazyMount(isOpen: boolean): { isMounted: boolean; isShown: boolean } {
  const [wasOpen, setWasOpen] = useState(false)
  useLayoutEffect(() => {
    if (isOpen) setWasOpen(true)
  }, [isOpen])
  return { isMounted: isOpen || wasOpen, isShown: isOpen && wasOpen }
}
