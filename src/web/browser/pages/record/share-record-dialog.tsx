import type { TableView } from '../../../../tables/model'
import { toPathSegment } from '../../api/urls'
import { ShareDialog } from '../../components/sharing/share-dialog'
import { useStrings } from '../../language'
import type { TableRecord } from '../../records/values/record-key'
import { useTemplates } from './document-dialog'
import { shareSubjects } from './share-subjects'

type ShareRecordDialogProps = { table: TableView; segment: string; record: TableRecord; isOpen: boolean; close: () => void }

/** Shares a record, its files, or a document of it. */
export function ShareRecordDialog({ table, segment, record, ...state }: ShareRecordDialogProps) {
  const { links } = useStrings()
  return (
    <ShareDialog
      subjects={shareSubjects(table, segment, record, useTemplates(table), links)}
      linksOf={{ table: table.id, pk: toPathSegment(segment) }}
      kinds={['record', 'file', 'document']}
      {...state}
    />
  )
}
