/** How long after their last input a user counts as present. */
const presentMs = 10_000

/** Opening the page counts as input. */
let lastInputAt = Date.now()

/** Assistive technology clicks, dictates and pastes without a pointer or a key; files are dropped from elsewhere. */
const inputsWithoutKeys = ['click', 'input', 'paste', 'drop']
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'focus', 'visibilitychange', ...inputsWithoutKeys]
// Capturing listeners run before those that send a request because of the input.
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
