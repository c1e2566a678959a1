import { Button, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useStrings } from '../../language'
import { Icon } from '../icon'
import { copyToClipboard } from './clipboard'

/** A read-only value with a copy button. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { shell } = useStrings()
  const input = useRef<HTMLInputElement>(null)
  const [state, setState] = useState<'fresh' | 'copied' | 'failed'>('fresh')
  const copy = async () => setState((await copyToClipboard(input.current!)) ? 'copied' : 'failed')
  const text = { fresh: shell.copy, copied: shell.copied, failed: shell.copyManually }[state]
  return (
    <div className="copyable">
      <TextInput
        ref={input}
        label={label}
        value={value}
        readOnly
        spellCheck={false}
        classNames={{ input: 'mono' }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={16} />}
        onClick={() => void copy()}
        aria-label={state === 'fresh' ? shell.copyOf(label) : undefined}
        aria-live="polite"
      >
        {text}
      </Button>
    </div>
  )
}
