import { booleanValue, durationValue, type Setting, sizeValue, textValue } from './setting-readers'

/** Settings of plugins, and of the documents that they make. */
export const pluginSettings = {
  pluginsDir: {
    env: 'ROWHOUSE_PLUGINS_DIR',
    flag: 'plugins-dir',
    default: './plugins',
    example: '/etc/rowhouse/plugins',
    help: 'Folder from which plugins are loaded at startup; it may be missing. Plugins run with the rights of the service.',
    read: textValue,
  },
  pluginsStrict: {
    env: 'ROWHOUSE_PLUGINS_STRICT',
    flag: 'plugins-strict',
    default: '0',
    example: '1',
    help: 'Refuse to start if a plugin cannot be loaded, instead of leaving it out.',
    read: booleanValue,
  },
  watch: {
    env: 'ROWHOUSE_WATCH',
    flag: 'watch',
    isSwitch: true,
    default: '0',
    example: '1',
    help: 'Reload plugins when their files change.',
    read: booleanValue,
  },
  pluginTimeoutMs: {
    env: 'ROWHOUSE_PLUGIN_TIMEOUT',
    flag: 'plugin-timeout',
    default: '30s',
    example: '5s',
    help: 'A call of a plugin that takes longer is answered with 503.',
    read: durationValue(100, 230_000),
  },
  renderTimeoutMs: {
    env: 'ROWHOUSE_RENDER_TIMEOUT',
    flag: 'render-timeout',
    default: '20s',
    example: '60s',
    help: 'Longest time for making one document, or for drawing one page of a PDF.',
    read: durationValue(100, 230_000),
  },
  renderMemoryBytes: {
    env: 'ROWHOUSE_RENDER_MEMORY',
    flag: 'render-memory',
    default: '1GB',
    example: '512MB',
    help: 'Memory limit of the process that makes documents and draws PDF pages (on Linux).',
    read: sizeValue(2 ** 28, 2 ** 40),
  },
} satisfies Record<string, Setting<unknown>>
