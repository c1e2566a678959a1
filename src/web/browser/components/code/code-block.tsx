import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useStrings } from '../../language'
import { Icon } from '../icon'
import { copyToClipboard } from './clipboard'

/** Code with a copy button. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  const { shell } = useStrings()
  const block = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)
  return (
    <figure className="code">
      <figcaption>
        <span>{label}</span>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={14} />}
          aria-label={isCopied ? undefined : shell.copyOf(label)}
          aria-live="polite"
          onClick={async () => setCopied(await copyToClipboard(block.current!))}
        >
          {isCopied ? shell.copied : shell.copy}
        </Button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="mono" tabIndex={0} aria-label={label} ref={block}>
        <pre>{code}</pre>
      </section>
    </figure>
  )
}
