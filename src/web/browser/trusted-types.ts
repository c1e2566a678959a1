type PolicyFactory = { createPolicy: (name: 'default', rules: { createHTML: (text: string) => string | null }) => unknown }

/**
 * SEC-65. React and Mantine write the text of style elements as markup. Text without a `<` is the same either way and passes; anything else that
 * would become markup is refused by the browser. It has to be imported before everything that draws.
 */
const factory = (window as { trustedTypes?: PolicyFactory }).trustedTypes
factory?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) })
