import { Html } from '../../html'

/** The style of form pages: quiet, for screens of every width, light and dark. */
export const formStyle = new Html(`
:root { color-scheme: light dark; --ground: #f6f6f7; --paper: #fff; --ink: #1b1c1e; --soft: #5c6067; --line: #8b8f97; --link: #1c5fd0; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16171a; --paper: #1f2125; --ink: #ececee; --soft: #a5a9b1; --line: #6b7079; --link: #8ab4ff; --bad: #ffb4ab }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { max-width: 40rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere }
p { margin: 0 0 1rem; overflow-wrap: anywhere }
.text { white-space: pre-wrap }
form { display: grid; gap: 1.25rem; margin-top: 1.5rem }
.field { min-width: 0; border: 0; margin: 0; padding: 0 }
[hidden] { display: none !important }
label, legend { display: block; padding: 0; margin-bottom: .25rem; font-weight: 500; overflow-wrap: anywhere }
.tick { display: flex; gap: .625rem; align-items: baseline; margin: 0 0 .375rem; font-weight: 400 }
.tick input { width: auto; min-height: 0; flex: none }
.help, .star { color: var(--soft); font-size: .875rem; font-weight: 400 }
.help { margin: .25rem 0 0 }
.bad { color: var(--bad); font-size: .875rem; margin: .25rem 0 0 }
.bad.all { font-size: 1rem; margin-bottom: 1rem }
input, select, textarea { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem }
textarea { min-height: 7rem; resize: vertical }
[aria-invalid=true] { border-color: var(--bad) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
button { justify-self: start; min-height: 2.75rem; padding: .5rem 1.5rem; font: inherit; font-weight: 500; color: var(--ground); background: var(--ink); border: 0; border-radius: .5rem; cursor: pointer }
button:disabled { opacity: .6; cursor: progress }
.trap { position: absolute; left: -100vw; width: 1px; height: 1px; overflow: hidden }
@media (max-width: 30rem) { main { padding: 1.5rem 1rem 3rem } button { width: 100% } }
`)
