import { queryClient } from '../../../api/queries'
import { attachmentsUrl } from '../../../api/urls'
import { uploadQueue } from '../../../records/mutations/upload-queue'
import type { GridColumn } from '../../../records/values/cell-values'
import { recordQuery } from '../../../records/values/record-queries'
import type { GridModel } from '../model/grid-model'

/** Uploads files to a cell. The list shows each file once it is stored, and the cell shows failed ones. */
export function uploadToCell(model: GridModel, key: string, { id }: GridColumn, files: readonly File[]) {
  const queue = uploadQueue(attachmentsUrl(model.table.id, key, id))
  queue.onStored = (file) => {
    model.notifier.clearFailure(file)
    return reload(model, key)
  }
  queue.onFailed = (file, failure) => model.notifier.showError(failure, file.name, file)
  queue.add(files)
}

/** Fetches a record whose files have changed, even if its table is no longer open. */
async function reload({ table, mutations }: GridModel, key: string) {
  const query = recordQuery(table, key)
  // The response to an earlier request would lack the file.
  await queryClient.cancelQueries(query)
  const { record } = await queryClient.fetchQuery({ ...query, staleTime: 0 })
  // The next write needs the new version.
  mutations.recordSaved(key, [], null)
  mutations.list.replace(key, record)
}
