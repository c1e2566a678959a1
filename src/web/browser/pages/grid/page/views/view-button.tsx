import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { cachedTables } from '../../../../api/queries'
import { Icon } from '../../../../components/icon'
import { lazyComponent } from '../../../../components/lazy-component'
import { LazyMenu } from '../../../../components/lazy-menu'
import { useLazyMount } from '../../../../components/use-lazy-mount'
import { useStrings } from '../../../../language'
import { isViewChanged } from '../../../../records/list/arrangement'
import type { ListQuery } from '../../../../records/list/list-query'
import type { SavedView } from '../../../../records/list/table-queries'
import { useGridModel } from '../../model/grid-model'
import type { ViewDialogsProps } from './view-dialogs'
import type { ViewItemsProps } from './view-items'

const LazyViewDialogs = lazyComponent(async () => (await import('../../../lazy-pages')).ViewDialogs)

/** The name of the view, with a mark if the grid differs from it, and the menu of views. */
export function ViewButton({ view, query }: { view: SavedView; query: ListQuery }) {
  const { grid } = useStrings()
  const { table } = useGridModel()
  const [dialog, setDialog] = useState<ViewDialogsProps['shown']>(null)
  const { isMounted } = useLazyMount(dialog !== null)
  const { named } = view
  const name = named?.name ?? grid.views.own
  const isChanged = isViewChanged(view, query, table, cachedTables())
  const label = grid.views.current(name, isChanged)
  return (
    <div className="grid-tools is-start is-view">
      <LazyMenu
        button={
          <Button variant="subtle" color="gray" size="xs" rightSection={<Icon name="chevron" size={15} />} aria-label={label} title={label}>
            <span className="view-name">{name}</span>
            {isChanged ? ' •' : null}
          </Button>
        }
      >
        <LazyViewItems isChanged={isChanged} open={setDialog} />
      </LazyMenu>
      {isMounted ? <LazyViewDialogs shown={dialog} open={setDialog} /> : null}
    </div>
  )
}

/** The menu itself keeps the focus until its items are loaded. */
function LazyViewItems(props: ViewItemsProps) {
  const { notifier } = useGridModel()
  const [pages, setPages] = useState<typeof import('../../../lazy-pages')>()
  useEffect(() => void import('../../../lazy-pages').then(setPages, notifier.showError), [notifier])
  return pages ? <pages.ViewItems {...props} /> : null
}
