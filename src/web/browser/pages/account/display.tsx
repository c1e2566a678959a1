import { NativeSelect, useMantineColorScheme } from '@mantine/core'
import { Panel } from '../../components/panel'
import { type Language, languages, selectLanguage, useLanguage, useStrings } from '../../language'

/** Language and color scheme of this browser. */
export function Display() {
  const { account, shell } = useStrings()
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel title={account.display} text={account.displayHelp}>
      <div className="two">
        <NativeSelect
          label={shell.language}
          value={language}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
          onChange={(event) => void selectLanguage(event.currentTarget.value as Language)}
        />
        <NativeSelect
          label={shell.appearance}
          value={colorScheme}
          data={[
            { value: 'auto', label: shell.system },
            { value: 'light', label: shell.light },
            { value: 'dark', label: shell.dark },
          ]}
          onChange={(event) => setColorScheme(event.currentTarget.value as typeof colorScheme)}
        />
      </div>
    </Panel>
  )
}
