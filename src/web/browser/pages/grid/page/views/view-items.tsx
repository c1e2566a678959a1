import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../api/api-error'
import { useIsViewing } from '../../../../api/view-as'
import { Icon } from '../../../../components/icon'
import { useStrings } from '../../../../language'
import { useGridModel } from '../../model/grid-model'
import { useNamedViews } from './use-named-views'
import type { ViewDialogsProps } from './view-dialogs'

const check = <Icon name="check" size={16} />

export type ViewItemsProps = { isChanged: boolean } & Pick<ViewDialogsProps, 'open'>

/** The views of a table, and the actions for the current one. */
export function ViewItems({ isChanged, open }: ViewItemsProps) {
  const { grid, shell } = useStrings()
  const { view, choose, notifier } = useGridModel()
  const { listQuery, show, save, discard, ...rights } = useNamedViews()
  const { data: views = [] } = useQuery(listQuery)
  const isViewing = useIsViewing()
  const canChange = rights.canChange && !isViewing
  const report = (work: Promise<unknown>) => void work.catch((error) => notifier.showError(error))
  const saveChanges = async () => {
    try {
      await save()
      notifier.show(shell.saved)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error
      open('conflict')
    }
  }
  const item = (id: string, name: string) => (
    <Menu.RadioItem
      key={id}
      value={id}
      checked={id === (view.named?.id ?? '')}
      checkIcon={check}
      closeMenuOnClick
      onClick={() => report(id ? show(id) : choose())}
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
      {isChanged || !isViewing ? <Menu.Divider /> : null}
      {isChanged && canChange ? <Menu.Item onClick={() => report(saveChanges())}>{grid.views.save}</Menu.Item> : null}
      {isChanged ? <Menu.Item onClick={() => report(discard())}>{grid.views.discard}</Menu.Item> : null}
      {isViewing ? null : <Menu.Item onClick={() => open('create')}>{grid.views.create}</Menu.Item>}
      {canChange ? (
        <>
          <Menu.Item onClick={() => open('rename')}>{grid.views.rename}</Menu.Item>
          <Menu.Item onClick={() => open('remove')}>{grid.views.remove}</Menu.Item>
        </>
      ) : null}
    </>
  )
}
