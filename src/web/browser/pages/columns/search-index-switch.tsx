import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TableView } from '../../../../tables/model'
import { toErrorMessage } from '../../api/api-error'
import { queryClient } from '../../api/queries'
import { useSave } from '../../components/form/use-save'
import { useStrings } from '../../language'
import { invalidateTable, searchIndexQuery, switchSearchIndex } from '../../records/values/column-data'

/** Switches the index for the search of a table, and shows how far it is built. */
export function SearchIndexSwitch({ table }: { table: TableView }) {
  const strings = useStrings()
  const { columns: words } = strings
  const { data } = useQuery(searchIndexQuery(table))
  const isOn = (data?.state ?? table.searchIndex) !== 'none'
  const { failure, isBusy, save } = useSave(async () => {
    await switchSearchIndex(table, !isOn)
    await queryClient.invalidateQueries({ queryKey: searchIndexQuery(table).queryKey })
    await invalidateTable()
  })
  return (
    <div className="stack">
      <Checkbox
        label={words.searchIndex}
        description={words.searchIndexHelp}
        checked={isOn}
        aria-busy={isBusy}
        onChange={() => void save()}
      />
      <p role="status" className="soft">
        {data?.state === 'building' ? words.searchIndexProgress(data.progress) : data?.state === 'ready' ? words.searchIndexReady : ''}
      </p>
      <p role="alert" className="alert">
        {failure ? toErrorMessage(failure, strings) : data?.problem ? words.searchIndexProblem(data.problem) : ''}
      </p>
    </div>
  )
}
