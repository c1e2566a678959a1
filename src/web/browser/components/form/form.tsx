import { Button, Group } from '@mantine/core'
import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { ApiError, toErrorMessage } from '../../api/api-error'
import { useStrings } from '../../language'
import { formatCountdown } from '../../values/format'

/** The values of a form's controls by their `name`. Multiple values are joined with commas. */
export type FormValues = Record<string, string>

const FailureContext = createContext<unknown>(null)

export function useFieldError(name: string): string | undefined {
  const failure = useContext(FailureContext)
  return failure instanceof ApiError ? failure.fieldError(name) : undefined
}

/** Whether the server reported an error for one of the fields. */
export function useHasFieldError(names: readonly string[]): boolean {
  const failure = useContext(FailureContext)
  return failure instanceof ApiError && names.some((name) => failure.fieldError(name) !== undefined)
}

type FormProps = {
  action: string
  submit: (values: FormValues) => Promise<unknown>
  children: ReactNode
  /** Shown beside the submit button, such as “Cancel”. */
  beside?: ReactNode
  isDangerous?: boolean
  isWide?: boolean
  /** Whether the form is reset after success. */
  resets?: boolean
}

/**
 * A form that submits its values and shows errors at their fields. While a submission is pending, submitting again does
 * nothing.
 */
export function Form({ action, submit, children, beside, isDangerous, isWide, resets }: FormProps) {
  const { shell } = useStrings()
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [waitS, setWaitS] = useCountdown()
  const form = useRef<HTMLFormElement>(null)
  // Keyboard users continue at the first invalid field.
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy || waitS > 0) return
    const target = event.currentTarget
    const values = Object.fromEntries([...new FormData(target)].map(([name, value]) => [name, String(value)]))
    setBusy(true)
    setFailure(null)
    try {
      await submit(values)
      if (resets) target.reset()
    } catch (error) {
      setFailure(error)
      if (error instanceof ApiError && error.status === 429) setWaitS(error.retryAfterS)
    } finally {
      setBusy(false)
    }
  }

  const isWaiting = waitS > 0
  return (
    <FailureContext value={failure}>
      <form ref={form} className="form" onSubmit={(event) => void send(event)}>
        {children}
        <Alert failure={failure} />
        <Group gap="xs" justify={beside ? 'flex-end' : 'flex-start'}>
          {beside}
          {/* Not `disabled`: that would take the focus away from keyboard users. */}
          <Button
            type="submit"
            color={isDangerous ? 'red.9' : undefined}
            fullWidth={isWide}
            aria-busy={isBusy}
            aria-disabled={isBusy || isWaiting}
            className="submit"
          >
            {isWaiting ? shell.waitFor(formatCountdown(waitS)) : action}
          </Button>
        </Group>
      </form>
    </FailureContext>
  )
}

/**
 * The error message, unless the fields show it. Always rendered, so that screen readers announce its text when it
 * changes.
 */
function Alert({ failure }: { failure: unknown }) {
  const strings = useStrings()
  const isToldAtFields =
    failure instanceof ApiError && failure.status === 422 && (failure.body.errors?.some(({ path }) => isShown(path)) ?? false)
  return (
    <p role="alert" className="alert">
      {failure && !isToldAtFields ? toErrorMessage(failure, strings) : ''}
    </p>
  )
}

const isShown = (path = '') => document.querySelector(`form [name="${CSS.escape(path.split('/').at(-1) ?? '')}"]`) !== null

/** Counts seconds down to 0. */
function useCountdown(): [number, (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds <= 0) return
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000)
    return () => clearTimeout(timer)
  }, [seconds])
  return [seconds, setSeconds]
}
