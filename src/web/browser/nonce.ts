import { setNonce } from 'get-nonce'

/** The page's nonce, without which a style element made by a library counts for nothing (SEC-65). Browsers show it to scripts only. */
export const pageNonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''

setNonce(pageNonce)
