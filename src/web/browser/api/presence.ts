/** How long after their last input somebody counts as present. */
const presentMs = 10_000

/** The page was opened by somebody. */
let lastInputAt = Date.now()

const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'focus', 'visibilitychange']
// Before the listeners that fetch something because of the input.
for (const input of inputs)
  window.addEventListener(
    input,
    () => {
      lastInputAt = Date.now()
    },
    { capture: true, passive: true },
  )

/** Whether a person may have caused a request that is sent now. Polls and changes of others also cause requests. */
export const isSomebodyPresent = (): boolean => Date.now() - lastInputAt < presentMs
