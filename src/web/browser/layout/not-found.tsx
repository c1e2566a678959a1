import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Failed } from '../components/query-state'
import { useStrings } from '../language'
import { Guest } from './guest'
import { Page } from './page'

/** In the shell, for a thing that is not there. */
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

/** Outside of it, for an address that no page has. */
export function LostPage() {
  const { shell } = useStrings()
  return (
    <Guest title={shell.notFound} introduction={shell.notFoundText}>
      <Button component={Link} to="/" variant="default">
        {shell.toHome}
      </Button>
    </Guest>
  )
}

/** A page that could not be drawn at all, such as when its code could not be fetched. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = async () => {
    reset()
    await router.invalidate()
  }
  return <Failed error={error} retry={retry} />
}
