import { Button, Group } from '@mantine/core'
import { useStrings } from '../../../../language'

/** The end of the panels that filter and sort. */
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
