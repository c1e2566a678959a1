import { expect, test } from 'bun:test'
import type { DocumentFormat } from '../../src/documents/render/job'
import { renderLiquid } from '../../src/documents/render/liquid'

const hostile = '<img src=x onerror="alert(1)">\n& \'b\''
const escaped = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;\n&amp; &#39;b&#39;'
const broken = escaped.replace('\n', '<br />\n')

async function render(template: string, format: DocumentFormat = 'html', value: unknown = hostile): Promise<string> {
  const files = { 'a.liquid': new TextEncoder().encode(template) }
  const outcome = await renderLiquid({
    format,
    main: 'a.liquid',
    template: { hash: '', files },
    data: JSON.stringify({ value }),
    pictures: [],
  })
  return 'bytes' in outcome ? new TextDecoder().decode(outcome.bytes) : outcome.problems.join('\n')
}

test.each([
  ['{{ value | newline_to_br }}', broken],
  ['{{ value | newline_to_br | raw }}', broken],
  ['{{ value | escape | newline_to_br }}', broken],
  ['{{ value | escape | newline_to_br | raw }}', broken],
  ['{{ value | newline_to_br | escape }}', broken],
  ['{{ value | newline_to_br | newline_to_br }}', broken.replace('\n', '<br />\n')],
  ['{{ value | newline_to_br | default: "none" }}', broken],
  ['{% assign text = value | newline_to_br %}{{ text }}', broken],
  ['{% capture text %}<p>{{ value }}</p>{% endcapture %}{{ text }}{{ text | raw }}', `<p>${escaped}</p><p>${escaped}</p>`],
  ['{{ value | escape }}', escaped],
  ['{{ value | xml_escape }}', escaped],
  ['{{ value | escape_once }}', escaped],
  ['{{ value | escape | escape_once }}', escaped],
  ['{{ "&lt; & &quot;" | escape_once }}', '&lt; &amp; &quot;'],
])('%s is escaped once', async (template, expected) => {
  expect(await render(template)).toBe(expected)
})

test.each([
  ['{{ value | newline_to_br | append: value }}'],
  ['{{ value | newline_to_br | upcase }}'],
  ['{{ value | newline_to_br | replace: "&lt;", "<" }}'],
  ['{{ value | newline_to_br | split: "" | join: "" }}'],
  ['{{ value | newline_to_br | slice: 0, 200 }}'],
  ['{{ value | newline_to_br | truncate: 40 }}'],
  ['{{ value | escape | strip_html }}'],
  ['{% assign text = value | newline_to_br | strip %}{{ text }}'],
])('%s is escaped again, so that no value becomes markup', async (template) => {
  expect(await render(template)).not.toContain('<')
})

test('captured text is compared, looked up by and passed on like any text', async () => {
  const captured = '{% capture text %}{{ value }}{% endcapture %}'
  const uses =
    '{% if text == "b" %}same{% endif %}{% case text %}{% when "b" %} case{% endcase %}{% if text contains "b" %} has{% endif %} {{ text | size }}{{ text.size }}{{ text | append: "c" }}'
  expect(await render(`${captured}${uses}`, 'html', 'b')).toBe('same case has 11bc')
  expect(await render('{% capture key %}a{% endcapture %}{{ value[key] }}{% if value contains key %}!{% endif %}', 'html', { a: 1 })).toBe(
    '1',
  )
})

test('values that are no text, and an empty one', async () => {
  expect(await render('{{ value | newline_to_br }}', 'html', 12.5)).toBe('12.5')
  expect(await render('{{ value | newline_to_br }}', 'html', null)).toBe('')
  expect(await render('{{ value | newline_to_br }}', 'html', ['<a>\n', '<b>'])).toBe('&lt;a&gt;<br />\n&lt;b&gt;')
  expect(await render('{{ value | newline_to_br | default: "<none>" }}', 'html', '')).toBe('&lt;none&gt;')
  expect(await render('{% assign text = value | newline_to_br %}{% if text == "a" %}same{% endif %}', 'html', 'a')).toBe('same')
})

test('Markdown gets its own escapes once, with line breaks that it knows', async () => {
  expect(await render('{{ value | newline_to_br }}', 'md', '*a*\n<b>')).toBe('\\*a\\*<br />\n\\<b\\>')
  expect(await render('{{ value | escape }}', 'md', '*a* <b>')).toBe('\\*a\\* \\<b\\>')
})

test('plain text is not escaped unless the template asks for it', async () => {
  expect(await render('{{ value }} {{ value | escape }}', 'txt', '<b>')).toBe('<b> &lt;b&gt;')
})
