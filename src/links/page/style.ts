import { Html } from '../../html'
import { choiceColors } from '../../tables/choice-colors'

/** The style of all pages of links: quiet, for screens of every width, dark mode and print. */
export const style = new Html(`
:root { color-scheme: light dark; --ground: #f6f6f7; --paper: #fff; --ink: #1b1c1e; --soft: #62666d; --line: #e3e4e8; --link: #1c5fd0; --wash: #f0f1f4 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16171a; --paper: #1f2125; --ink: #ececee; --soft: #a0a4ac; --line: #34373d; --link: #8ab4ff; --wash: #2a2d33 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
main.wide { max-width: 96rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere }
p { margin: 0 0 1rem }
.about { margin: -.75rem 0 1.5rem; color: var(--soft); font-size: .875rem }
a { color: var(--link) }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.paper { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden }
dl { margin: 0 }
dl.record > div { display: grid; grid-template-columns: minmax(8rem, 14rem) minmax(0, 1fr); gap: 1rem; padding: .75rem 1.25rem }
dl.record > div + div { border-top: 1px solid var(--line) }
dt { color: var(--soft); font-size: .875rem; line-height: 1.7; overflow-wrap: anywhere }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0 }
dl.inner { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .125rem .75rem; margin-bottom: .5rem }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .9375rem }
th, td { padding: .625rem 1rem; text-align: start; vertical-align: top; overflow-wrap: break-word; max-width: 24rem }
th { color: var(--soft); font-size: .8125rem; font-weight: 500; white-space: nowrap; border-bottom: 1px solid var(--line) }
tr + tr td { border-top: 1px solid var(--line) }
td.end, th.end { text-align: end; font-variant-numeric: tabular-nums }
.number, time { font-variant-numeric: tabular-nums; white-space: nowrap }
.none { color: var(--soft) }
.long { white-space: pre-wrap }
pre { margin: 0; font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
.choice { padding: .125rem .5rem; border-radius: 1rem; background: color-mix(in srgb, var(--choice, var(--soft)) 20%, var(--paper)); font-size: .875rem }
ul { margin: 0; padding: 0; list-style: none }
ul.items { display: flex; flex-wrap: wrap; gap: .25rem .75rem }
ul.files { display: flex; flex-wrap: wrap; gap: .75rem }
.file { display: inline-block; max-width: 20rem; font-size: .875rem; text-decoration: none }
.file-name { text-decoration: underline; overflow-wrap: anywhere }
.file img { display: block; max-width: 100%; max-height: 12rem; margin-bottom: .25rem; border-radius: .375rem; border: 1px solid var(--line) }
td .file img { max-height: 5rem }
.preview .file { display: block; max-width: none; padding: 1.25rem }
.preview .file img { max-height: 80vh; margin: 0 0 1rem }
${choiceColors.map((color) => `.${color} { --choice: ${color} }`).join('\n')}
.size { color: var(--soft) }
nav { margin-top: 1.25rem }
form { max-width: 24rem; margin-top: 1.5rem }
label { display: block; margin-bottom: .25rem; font-size: .875rem; color: var(--soft) }
input, button { width: 100%; padding: .625rem .75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem }
button, .button { display: inline-block; width: auto; margin-top: .75rem; padding: .625rem 1.25rem; background: var(--ink); color: var(--ground); border: 0; border-radius: .5rem; font-weight: 500; text-decoration: none; cursor: pointer }
@media (max-width: 40rem) {
  main { padding: 1.5rem 1rem 3rem }
  dl.record > div { grid-template-columns: minmax(0, 1fr); gap: 0; padding: .625rem 1rem }
  table, tbody, tr, td { display: block }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr + tr { border-top: 1px solid var(--line) }
  tr { padding: .625rem 0 }
  tr + tr td { border-top: 0 }
  td, td.end { padding: .125rem 1rem; max-width: none; text-align: start }
  td::before { content: attr(data-label); display: block; color: var(--soft); font-size: .8125rem }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --link: #000; --wash: #fff }
  body { font-size: 10.5pt }
  main { max-width: none; padding: 0 }
  .paper { border-radius: 0; overflow: visible }
  .choice { border: 1px solid var(--line) }
  nav, form, .button { display: none }
  tr, dl.record > div, .file { break-inside: avoid }
  thead { display: table-header-group }
}
`)
