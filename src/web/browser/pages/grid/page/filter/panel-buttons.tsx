import { Button, Group } from '@mantine/core'
import { useStrings } from '../../../../language'

/** The buttons at the end of the filter panel and of the sort panel. */
export function PanelButtons({ removeAll, done }: { removeAll: () => void; done: () => void }) {
  const { filter } = useStrings()
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={removeAll}>
        {filter.removeAll}
      </Button>
      <Button size="xs" onClick={done}>
        {filter.done}
      </Button>
    </Group>
  )
}
