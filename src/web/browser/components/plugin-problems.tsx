import type { ListedPlugin } from '../api/plugins-query'

/** A plugin's problems with their positions in the source. */
export const PluginProblems = ({ problems }: Pick<ListedPlugin, 'problems'>) =>
  problems.map(({ file, line, column, message }) => (
    <div key={`${file} ${line} ${message}`}>
      <p className="mono facts">{[file, line, column].filter((part) => part !== null).join(':')}</p>
      <p className="alert">{message}</p>
    </div>
  ))
