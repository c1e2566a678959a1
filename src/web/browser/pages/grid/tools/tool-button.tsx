import { ActionIcon } from '@mantine/core'
import { Icon, type IconName } from '../../../components/icon'

export type ToolButtonProps = { icon: IconName; label: string; isDisabled?: boolean; isBusy?: boolean; act: () => void }

/** Keeps the focus while it is disabled. */
export const ToolButton = ({ icon, label, isDisabled = false, isBusy = false, act }: ToolButtonProps) => (
  <ActionIcon
    className={isBusy ? 'is-busy' : undefined}
    variant="subtle"
    color="gray"
    size={30}
    aria-label={label}
    title={label}
    aria-disabled={isDisabled}
    data-disabled={isDisabled || undefined}
    onClick={() => isDisabled || act()}
  >
    <Icon name={icon} size={17} />
  </ActionIcon>
)
