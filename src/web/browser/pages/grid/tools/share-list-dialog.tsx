import type { TableView } from '../../../../../tables/model'
import { lazyComponent } from '../../../components/lazy-component'
import { useLazyMount } from '../../../components/use-lazy-mount'
import { useStrings } from '../../../language'
import { useVisibleColumns } from './visible-columns'

const LazyShareDialog = lazyComponent(async () => (await import('../../lazy-pages')).ShareDialog)

type ShareListDialogProps = { table: TableView; query: URLSearchParams; isOpen: boolean; close: () => void }

/** Shares the list as it is displayed: its filters, its order and its columns. */
export function ShareListDialog(props: ShareListDialogProps) {
  const { isMounted } = useLazyMount(props.isOpen)
  return isMounted ? <ShareList {...props} /> : null
}

function ShareList({ table, query, isOpen, close }: ShareListDialogProps) {
  const { links } = useStrings()
  const subject = {
    label: links.share,
    body: { table: table.id, query: String(query) },
    columns: useVisibleColumns(),
    restricted: table.restrictedColumns,
  }
  return <LazyShareDialog subjects={[subject]} linksOf={{ table: table.id }} kinds={['list']} isOpen={isOpen} close={close} />
}
