import { Menu } from '@mantine/core'
import { useStrings } from '../../../language'

/** An action of the menu; `keys` is its keyboard shortcut, `documentOf` the number of records for a document. */
export type CellMenuItem = { label: string; keys?: string; documentOf?: number; isDangerous?: boolean; act: () => void }

/** The menu's position in the window and its groups of actions. */
export type CellMenuState = { x: number; y: number; groups: CellMenuItem[][] }

/** The context menu of cells and rows. */
export function CellMenu({ menu, close }: { menu: CellMenuState | null; close: () => void }) {
  const { grid } = useStrings()
  if (!menu) return null
  const focusGrid = () => document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus({ preventScroll: true })
  const leave = () => {
    close()
    focusGrid()
  }
  const choose = (item: CellMenuItem) => {
    close()
    // The clipboard and the dialogs use the cell that has the focus.
    focusGrid()
    item.act()
  }
  return (
    <Menu key={`${menu.x} ${menu.y}`} opened onClose={leave} position="bottom-start" offset={0} returnFocus={false} width={230}>
      <Menu.Target>
        <button
          type="button"
          className="grid-context-place"
          tabIndex={-1}
          aria-label={grid.cellMenu}
          style={{ left: menu.x, top: menu.y }}
        />
      </Menu.Target>
      <Menu.Dropdown className="grid-context" aria-label={grid.cellMenu}>
        {menu.groups
          .filter((group) => group.length > 0)
          .map((group, index) => (
            <div key={group[0]!.label} role="none">
              {index > 0 ? <Menu.Divider /> : null}
              {group.map((item) => (
                <Menu.Item
                  key={item.label}
                  color={item.isDangerous ? 'var(--app-danger)' : undefined}
                  rightSection={item.keys ? <kbd className="grid-context-keys">{item.keys}</kbd> : null}
                  onClick={() => choose(item)}
                >
                  {item.label}
                </Menu.Item>
              ))}
            </div>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
