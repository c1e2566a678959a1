import { useLayoutEffect, useState } from 'react'

/**
 * For windows and menus, of which a page has many, and few are ever opened: each is made with its first opening, since a closed one costs as much to draw as
 * an open one. It is shown right behind that, as a change of something that was closed: so it knows where the focus was.
 */
export function useLate(isOpen: boolean): { isMade: boolean; isShown: boolean } {
  const [wasOpen, setWasOpen] = useState(false)
  useLayoutEffect(() => {
    if (isOpen) setWasOpen(true)
  }, [isOpen])
  return { isMade: isOpen || wasOpen, isShown: isOpen && wasOpen }
}
