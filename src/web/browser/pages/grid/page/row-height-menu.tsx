import { ActionIcon, Menu } from '@mantine/core'
import { Icon } from '../../../components/icon'
import { LazyMenu } from '../../../components/lazy-menu'
import { useStrings } from '../../../language'
import type { SavedView } from '../../../records/list/table-queries'
import { rowSizeOf, rowSizes, wrapsText } from '../view/row-layout'

const check = <Icon name="check" size={16} />

type RowHeightMenuProps = { view: SavedView; change: (patch: (view: SavedView) => SavedView) => void }

/** The height of the rows, and whether they wrap their text. */
export function RowHeightMenu({ view, change }: RowHeightMenuProps) {
  const { grid } = useStrings()
  const current = rowSizeOf(view)
  const wraps = wrapsText(view)
  return (
    <LazyMenu
      button={
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={grid.rowHeight} title={grid.rowHeight}>
          <Icon name="rowHeight" size={17} />
        </ActionIcon>
      }
    >
      <Menu.Label>{grid.rowHeight}</Menu.Label>
      {rowSizes.map((rowSize) => (
        <Menu.RadioItem
          key={rowSize}
          value={rowSize}
          checked={rowSize === current}
          checkIcon={check}
          closeMenuOnClick
          onChange={() => change((before) => ({ ...before, rowSize }))}
        >
          {grid.rowSizes[rowSize]}
        </Menu.RadioItem>
      ))}
      <Menu.Divider />
      {/* Rows of one line cannot wrap, so wrapping makes rows higher. */}
      <Menu.CheckboxItem
        checked={wraps}
        checkIcon={check}
        closeMenuOnClick
        onChange={() => change((before) => ({ ...before, wraps: !wraps, ...(!wraps && current === 'short' ? { rowSize: 'medium' } : {}) }))}
      >
        {grid.wrapText}
      </Menu.CheckboxItem>
    </LazyMenu>
  )
}
