import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useStrings } from '../language'

/**
 * A dialog or panel whose code is loaded when it is first opened. Meanwhile a placeholder has the focus, so that no key
 * goes to the element that opened it. React's `lazy` would show it up to 300 ms later than necessary.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null
  return function LazyComponent(props: Props) {
    const [state, setState] = useState<{ isLoaded: boolean; failure?: unknown }>({ isLoaded: Loaded !== null })
    useReturnedFocus()
    useEffect(() => {
      const show = (component: ComponentType<Props>) => {
        Loaded = component
        setState({ isLoaded: true })
      }
      // Another instance may have loaded it since this one was rendered.
      if (Loaded) show(Loaded)
      else load().then(show, (failure) => setState({ isLoaded: false, failure }))
    }, [])
    if (state.failure) throw state.failure
    return state.isLoaded && Loaded ? <Loaded {...props} /> : <FocusHolder />
  }
}

/** Returns the focus of a dialog that is unmounted while it is open: the dialog itself does not. */
function useReturnedFocus() {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    },
    [opener],
  )
}

/** Holds the focus until the code has loaded, then gives it back: the dialog later returns it to that element. */
function FocusHolder() {
  const { shell } = useStrings()
  const element = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    const [holder, opener] = [element.current!, document.activeElement]
    holder.focus({ preventScroll: true })
    return () => {
      if (document.activeElement === holder && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [])
  return (
    <span ref={element} tabIndex={-1} role="status" className="visually-hidden">
      {shell.loading}
    </span>
  )
}
