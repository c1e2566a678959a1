import { Button, Group } from '@mantine/core'
import { createContext, type FormEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { Refusal, wordsFor } from '../api/api-error'
import { useStrings } from '../language'
import { formatCountdown } from '../values/format'

/** The values of a form's controls, by their `name`. A multiple choice is its values with commas between. */
export type Values = Record<string, string>

const Failure = createContext<unknown>(null)

/** What the service has said of one field, in its own words. */
export function useFieldProblem(name: string): string | undefined {
  const failure = useContext(Failure)
  return failure instanceof Refusal ? failure.problemOf(name) : undefined
}

type FormProps = {
  action: string
  submit: (values: Values) => Promise<unknown>
  children: ReactNode
  /** What stands beside the button, such as “Cancel”. */
  beside?: ReactNode
  isDangerous?: boolean
  isWide?: boolean
  /** Empties the controls after success. */
  resets?: boolean
}

/** A form that hands over its values, and shows the reason where it belongs when they are refused. While it is at work a second press does nothing. */
export function Form({ action, submit, children, beside, isDangerous, isWide, resets }: FormProps) {
  const { shell } = useStrings()
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const [waitS, setWaitS] = useCountdown()
  const form = useRef<HTMLFormElement>(null)
  // The first field that is wrong: whoever uses the keyboard goes on from there.
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
      if (error instanceof Refusal && error.status === 429) setWaitS(error.retryAfterS)
    } finally {
      setBusy(false)
    }
  }

  const isWaiting = waitS > 0
  return (
    <Failure value={failure}>
      <form ref={form} className="form" onSubmit={(event) => void send(event)}>
        {children}
        <Alert failure={failure} />
        <Group gap="xs" justify={beside ? 'flex-end' : 'flex-start'}>
          {beside}
          {/* Not `disabled`: that would take the focus away from people who use the keyboard. */}
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
    </Failure>
  )
}

/** What no field has said already. Always there, so that screen readers notice when it is filled. */
function Alert({ failure }: { failure: unknown }) {
  const strings = useStrings()
  const isToldAtFields =
    failure instanceof Refusal && failure.status === 422 && (failure.body.errors?.some(({ path }) => isShown(path)) ?? false)
  return (
    <p role="alert" className="alert">
      {failure && !isToldAtFields ? wordsFor(failure, strings) : ''}
    </p>
  )
}

const isShown = (path = '') => document.querySelector(`form [name="${CSS.escape(path.split('/').at(-1) ?? '')}"]`) !== null

/** Seconds that run down to 0. */
function useCountdown(): [number, (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (seconds <= 0) return
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000)
    return () => clearTimeout(timer)
  }, [seconds])
  return [seconds, setSeconds]
}
