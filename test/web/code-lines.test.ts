import { expect, test } from 'bun:test'
import { curlCommand, quotedUrl, withQuery } from '../../src/web/browser/components/code/code-lines'

const base = 'http://localhost:8090/api/v1/tables/notes/records'

test.each(["x'; touch left-the-quotes; echo '", 'a\nb', '$(id)', '`id`', '"', '\\', "'", '!!', '{a,b}', '[1-9]', 'é'])(
  'a line for a shell stays one address, whatever stands in a key: %p',
  async (key) => {
    const output = Bun.spawnSync(['sh', '-c', `printf '<%s>' ${quotedUrl(`${base}/${key}`)}`]).stdout.toString()
    expect(output).toMatch(/^<[^<>'\n{}[\]]*>$/)
    expect(decodeURIComponent(output)).toBe(`<${base}/${key}>`)
    const line = curlCommand(withQuery(base, new URLSearchParams({ title: key }))).replace('curl -H', 'printf "<%s>"')
    const [, sent = ''] = /<([^<>]*)>$/.exec(Bun.spawnSync(['sh', '-c', line]).stdout.toString()) ?? []
    expect(new URL(sent).searchParams.get('title')).toBe(key)
  },
)
