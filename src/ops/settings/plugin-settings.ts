import { booleanValue, durationValue, type Setting, sizeValue, textValue } from './setting-readers'

/** Settings of plugins, and of the documents that they make. */
export const pluginSettings = {
  pluginsDir: {
    env: 'ROWHOUSE_PLUGINS_DIR',
    flag: 'plugins-dir',
    default: './plugins',
    example: '/etc/rowhouse/plugins',
    help: 'Folder that plugins are loaded from at the start; it need not be there. What lies in it runs with the rights of the service.',
    read: textValue,
  },
  pluginsStrict: {
    env: 'ROWHOUSE_PLUGINS_STRICT',
    flag: 'plugins-strict',
    default: '0',
    example: '1',
    help: 'Do not start when a plugin cannot be loaded, instead of leaving it out.',
    read: booleanValue,
  },
  watch: {
    env: 'ROWHOUSE_WATCH',
    flag: 'watch',
    isSwitch: true,
    default: '0',
    example: '1',
    help: 'Load plugins again when they change.',
    read: booleanValue,
  },
  pluginTimeoutMs: {
    env: 'ROWHOUSE_PLUGIN_TIMEOUT',
    flag: 'plugin-timeout',
    default: '30s',
    example: '5s',
    help: 'How long one call of a plugin may take before it is answered with 503.',
    read: durationValue(100, 230_000),
  },
  renderTimeoutMs: {
    env: 'ROWHOUSE_RENDER_TIMEOUT',
    flag: 'render-timeout',
    default: '20s',
    example: '60s',
    help: 'How long it may take to make one document, or to draw one page of a PDF.',
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
