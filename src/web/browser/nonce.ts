import { setNonce } from 'get-nonce'

/**
 * The nonce of the page. The content security policy blocks style elements of libraries without it (SEC-65). Browsers
 * reveal it to scripts only.
 */
export const pageNonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''

setNonce(pageNonce)
