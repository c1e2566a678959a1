import { Button } from '@mantine/core'
import type { TableView } from '../../../../../tables/model'
import { type ApiError, toErrorMessage } from '../../../api/api-error'
import { useSave } from '../../../components/form/use-save'
import { useStrings } from '../../../language'
import { addColumnChoices, invalidateTable } from '../../../records/values/column-data'

type MissingChoice = { column: string; choices: string[] }
type AddChoicesProps = { table: TableView; error: ApiError; retry: () => void }

const maxNamed = 10

/** Offers to add choices that the file uses and the columns lack; only to users who can add them. */
export function AddChoices({ table, error, retry }: AddChoicesProps) {
  const strings = useStrings()
  const { transfer } = strings
  const missing = (error.body.details?.missingChoices ?? []) as MissingChoice[]
  const { failure, isBusy, save } = useSave(async () => {
    for (const { column, choices } of missing) {
      const info = table.columns.find(({ name }) => name === column)
      if (info) await addColumnChoices(table, info, choices)
    }
    await invalidateTable()
    retry()
  })
  if (missing.length === 0) return null
  return (
    <div className="stack">
      {missing.map(({ column, choices }) => (
        <p key={column}>
          {transfer.missingChoices(column)} {choices.slice(0, maxNamed).join(', ')}
          {choices.length > maxNamed ? ' …' : ''}
        </p>
      ))}
      {failure ? (
        <p role="alert" className="alert">
          {toErrorMessage(failure, strings)}
        </p>
      ) : null}
      <div className="row-actions">
        <Button variant="default" size="xs" aria-busy={isBusy} onClick={() => void save()}>
          {transfer.addChoices(missing.reduce((sum, { choices }) => sum + choices.length, 0))}
        </Button>
      </div>
    </div>
  )
}
