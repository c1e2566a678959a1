import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../components/query-state'
import { useStrings } from '../language'
import { GuestPage } from './guest'
import { Page } from './page'

/** Inside the shell, for an item that does not exist. */
export function NotFound() {
  const { shell } = useStrings()
  return (
    <Page title={shell.notFound}>
      <p className="soft">{shell.notFoundText}</p>
      <p>
        <Button component={Link} to="/" variant="default">
          {shell.toHome}
        </Button>
      </p>
    </Page>
  )
}

/** Outside the shell, for a URL without a page. */
export function GuestNotFound() {
  const { shell } = useStrings()
  return (
    <GuestPage title={shell.notFound} introduction={shell.notFoundText}>
      <Button component={Link} to="/" variant="default">
        {shell.toHome}
      </Button>
    </GuestPage>
  )
}

/** A page that could not be rendered, for example because its code could not be loaded. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = async () => {
    reset()
    await router.invalidate()
  }
  return <ErrorState error={error} retry={retry} />
}
