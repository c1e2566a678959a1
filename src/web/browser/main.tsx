import './trusted-types'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient, visitorQuery } from './api/queries'
import { startLanguage } from './language'
import { ServiceMessages } from './layout/service-status'
import { pageNonce } from './nonce'
import { loadFirstPage, preloadPages, router } from './router'
import { colorSchemes, cssVariables, theme } from './theme'

const preloadPauseMs = 1500

// Asked for at once, side by side with the words: neither waits for the other.
void queryClient.prefetchQuery(visitorQuery)
await Promise.all([startLanguage(), loadFirstPage()])

const page = (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    colorSchemeManager={colorSchemes}
    defaultColorScheme="auto"
    getStyleNonce={() => pageNonce}
  >
    <QueryClientProvider client={queryClient}>
      <ServiceMessages />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
)
// In small steps, between which the browser stays free for what else there is.
startTransition(() => createRoot(document.querySelector('#app')!).render(page))

// Behind the first page, which has the line and the processor to itself. Safari has no idle time to give.
const idle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 500))
const stopListening = router.subscribe('onRendered', () => {
  stopListening()
  setTimeout(() => idle(preloadPages), preloadPauseMs)
})
