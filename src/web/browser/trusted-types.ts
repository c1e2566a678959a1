type PolicyFactory = { createPolicy: (name: 'default', rules: { createHTML: (text: string) => string | null }) => unknown }

/**
 * SEC-65. React and Mantine set the text of style elements as HTML. Text without a `<` is safe and passes; the browser
 * blocks everything else. This module has to be imported before any code that renders.
 */
const factory = (window as { trustedTypes?: PolicyFactory }).trustedTypes
factory?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) })
