import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { usersQuery } from '../../api/users-query'
import { canBeViewed, startViewAs } from '../../api/view-as'
import { Form } from '../../components/form/form'
import { Panel } from '../../components/panel'
import { Await } from '../../components/query-state'
import { useStrings } from '../../language'

const viewedUserField = 'viewed-user'

/** Moves the focus to the choice of a user, which scrolls it into view. */
export function LookButton() {
  const { access } = useStrings()
  const { data: users = [] } = useQuery(usersQuery)
  if (!users.some(canBeViewed)) return null
  return (
    <Button variant="default" onClick={() => document.getElementById(viewedUserField)?.focus()}>
      {access.lookAtIt}
    </Button>
  )
}

/** Offers to view Rowhouse as another user, starting at the table whose rules were edited. */
export function ViewPanel({ first }: { first: string | undefined }) {
  const { access } = useStrings()
  const query = useQuery(usersQuery)
  return (
    <Panel title={access.look} text={access.lookText}>
      <Await query={query} lines={2}>
        {(users) => {
          const offered = users.filter(canBeViewed)
          if (offered.length === 0) return <p className="soft">{access.nobodyToLookAs}</p>
          return (
            <Form action={access.lookAction} submit={({ user = '' }) => startViewAs(user, first)}>
              <NativeSelect
                id={viewedUserField}
                name="user"
                label={access.user}
                maw={400}
                data={offered.map(({ id, name, email }) => ({ value: id, label: name || email }))}
              />
            </Form>
          )
        }}
      </Await>
    </Panel>
  )
}
