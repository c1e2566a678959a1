import type { ListedPlugin } from '../api/plugins-query'

/** What is wrong with a plugin, and where. */
export const PluginProblems = ({ problems }: Pick<ListedPlugin, 'problems'>) =>
  problems.map(({ file, line, column, message }) => (
    <div key={`${file} ${line} ${message}`}>
      <p className="mono facts">{[file, line, column].filter((part) => part !== null).join(':')}</p>
      <p className="alert">{message}</p>
    </div>
  ))
