import { Button } from '@mantine/core'
import { Icon } from '../../../../components/icon'
import { lazyComponent } from '../../../../components/lazy-component'
import { useStrings } from '../../../../language'
import type { FilterPanelProps } from '../filter/use-filter-panel'
import { useToolPanel } from '../filter/use-tool-panel'

const LazySortBuilder = lazyComponent(async () => (await import('../../../lazy-pages')).SortBuilder)

/** A button with the number of columns that sort the records, and its panel. */
export function useSortPanel(props: Pick<FilterPanelProps, 'table' | 'query' | 'setQuery'>) {
  const { grid } = useStrings()
  const count = props.query.sort.length
  const { panel, button } = useToolPanel(grid.sort(0), (close) => <LazySortBuilder {...props} close={close} />)
  return {
    panel,
    button: (
      <Button
        {...button}
        variant={count ? 'light' : 'subtle'}
        color={count ? undefined : 'gray'}
        size="xs"
        leftSection={<Icon name="sortUp" size={15} />}
        aria-label={grid.sort(count)}
      >
        <span className="only-wide">{grid.sort(count)}</span>
        <span className="only-narrow">{count || null}</span>
      </Button>
    ),
  }
}
