import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../../components/icon'
import { useLinkedTable } from '../../../fields/link-field'
import { useStrings } from '../../../language'
import type { ColumnInfo } from '../../../records/values/column'

/** A link to the form for a new record that links to this one. */
export function NewLinked({ column, segment }: { column: ColumnInfo; segment: string }) {
  const { record: words } = useStrings()
  const target = useLinkedTable(column)
  const link = target?.columns.find(({ id }) => id === column.options.column)
  if (column.type !== 'reverseLinks' || !target?.can.create || !link || link.readOnly) return null
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon name="plus" size={14} />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/tables/$tableId/records/new"
          params={{ tableId: target.id }}
          hash={String(new URLSearchParams({ link: link.id, to: decodeURIComponent(segment) }))}
        />
      )}
    >
      {words.newIn(target.name)}
    </Button>
  )
}
