import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useIsViewing } from '../../../../api/view-as'
import { Icon } from '../../../../components/icon'
import { useStrings } from '../../../../language'
import { useGridModel } from '../../model/grid-model'
import { useNamedViews } from './use-named-views'
import type { ViewDialogsProps } from './view-dialogs'

const check = <Icon name="check" size={16} />

export type ViewItemsProps = { isChanged: boolean; open: (dialog: ViewDialogsProps['open']) => void }

/** The views of a table, and the actions for the present one. */
export function ViewItems({ isChanged, open }: ViewItemsProps) {
  const { grid, shell } = useStrings()
  const { view, choose, notifier } = useGridModel()
  const { listQuery, canChange, show, save } = useNamedViews()
  const { data: views = [] } = useQuery(listQuery)
  const isViewing = useIsViewing()
  const report = (work: Promise<unknown>) => void work.catch((error) => notifier.showError(error))
  const item = (id: string, name: string) => (
    <Menu.RadioItem
      key={id}
      value={id}
      checked={id === (view.named?.id ?? '')}
      checkIcon={check}
      closeMenuOnClick
      onClick={() => (id ? report(show(id)) : choose())}
    >
      {name}
    </Menu.RadioItem>
  )
  const listed = (isShared: boolean) => views.filter((each) => each.isShared === isShared).map(({ id, name }) => item(id, name))
  return (
    <>
      <div className="grid-views">
        {item('', grid.views.own)}
        {listed(false)}
        {views.some(({ isShared }) => isShared) ? <Menu.Label>{grid.views.shared}</Menu.Label> : null}
        {listed(true)}
      </div>
      {isViewing ? null : (
        <>
          <Menu.Divider />
          {isChanged && canChange ? (
            <Menu.Item onClick={() => report(save().then(() => notifier.show(shell.saved)))}>{grid.views.save}</Menu.Item>
          ) : null}
          <Menu.Item onClick={() => open('create')}>{grid.views.create}</Menu.Item>
          {canChange ? (
            <>
              <Menu.Item onClick={() => open('rename')}>{grid.views.rename}</Menu.Item>
              <Menu.Item onClick={() => open('remove')}>{grid.views.remove}</Menu.Item>
            </>
          ) : null}
        </>
      )}
    </>
  )
}
