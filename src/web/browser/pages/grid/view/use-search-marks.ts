import { type RefObject, useEffect } from 'react'
import { findHits } from './search-hits'

/** The name of the highlight in the styles. */
const highlightName = 'search-hit'

/**
 * Marks the search text in the rendered cells. The browser highlights ranges of text, so no cell renders again; in a
 * browser without highlights nothing is marked.
 */
export function useSearchMarks(frame: RefObject<HTMLElement | null>, search: string) {
  useEffect(() => {
    const place = frame.current
    if (!place || search.trim() === '' || typeof Highlight === 'undefined') return
    let request = 0
    const mark = () => {
      request = 0
      CSS.highlights.set(highlightName, new Highlight(...hitRanges(place, search)))
    }
    const observer = new MutationObserver(() => {
      request ||= requestAnimationFrame(mark)
    })
    observer.observe(place, { childList: true, subtree: true, characterData: true })
    mark()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(request)
      CSS.highlights.delete(highlightName)
    }
  }, [frame, search])
}

function hitRanges(place: HTMLElement, search: string): Range[] {
  return [...place.querySelectorAll('.grid-row [role="gridcell"]')].flatMap((cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    const ranges: Range[] = []
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      for (const [from, to] of findHits(node.nodeValue ?? '', search)) {
        const range = new Range()
        range.setStart(node, from)
        range.setEnd(node, to)
        ranges.push(range)
      }
    }
    return ranges
  })
}
