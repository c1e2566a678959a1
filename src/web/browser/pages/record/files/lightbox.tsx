import { ActionIcon, Button, Modal } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import type { FileView } from '../../../../../attachments/model'
import { Icon } from '../../../components/icon'
import { useStrings } from '../../../language'

/** The images of a cell in full size. Arrow keys switch between them. */
export function Lightbox({ pictures, first, close }: { pictures: readonly FileView[]; first: number; close: () => void }) {
  const { record, shell } = useStrings()
  const [place, setPlace] = useState(first)
  const count = pictures.length
  const picture = pictures[Math.min(place, count - 1)]
  if (!picture) return null
  const go = (steps: number) => setPlace((now) => (now + steps + count) % count)
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') go(-1)
    if (key === 'ArrowRight') go(1)
  }
  return (
    <Modal opened onClose={close} fullScreen title={picture.name} closeButtonProps={{ 'aria-label': shell.close }} onKeyDown={press}>
      <div className="light-box">
        <img key={picture.id} src={`${picture.url}?size=large`} alt={picture.name} width={picture.width} height={picture.height} />
        <div className="light-box-bar">
          <ActionIcon variant="default" size="lg" aria-label={record.previousImage} onClick={() => go(-1)} disabled={count < 2}>
            <Icon name="left" />
          </ActionIcon>
          <span aria-live="polite">{record.position(place + 1, count)}</span>
          <ActionIcon variant="default" size="lg" aria-label={record.nextImage} onClick={() => go(1)} disabled={count < 2}>
            <Icon name="right" />
          </ActionIcon>
          <Button component="a" href={`${picture.url}?download`} variant="default" leftSection={<Icon name="download" size={16} />}>
            {record.download}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
