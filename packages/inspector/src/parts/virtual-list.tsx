import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "./screen.tsx";

/** Rows drawn above and below those in view. */
const spare = 8;

/**
 * A list of rows of one height, of which only those in view are drawn. `j` and `k` select the next and the previous row. The
 * newest rows stand first; while the user has scrolled away, the rows in view stay where they are.
 */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  selected,
  onSelect,
  row,
  head,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The key of the selected row. */
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  readonly row: (item: Item) => ComponentChildren;
  /** What the columns of the rows show. Screen readers read each row as a sentence instead. */
  readonly head?: ComponentChildren;
}) {
  const { list, view, measure, reveal } = useRows(items, keyOf);
  const position = items.findIndex((item) => keyOf(item) === selected);
  useRowKeys(items.length, position, (index) => {
    const item = items[index];
    if (item === undefined) return;
    reveal(index);
    onSelect(keyOf(item));
  });

  const { top, height, rowHeight } = view.value;
  const from = Math.max(0, Math.floor(top / rowHeight) - spare);
  const shown = items.slice(from, Math.ceil((top + height) / rowHeight) + spare);
  const rowOf = (item: Item, index: number) => {
    const key = keyOf(item);
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys for its rows
      <div
        key={key}
        class="row"
        role="option"
        tabIndex={-1}
        aria-selected={key === selected}
        aria-posinset={from + index + 1}
        aria-setsize={items.length}
        onClick={() => onSelect(key)}
      >
        {row(item)}
      </div>
    );
  };
  const rows = (
    <div ref={list} class="rows" role="listbox" aria-label={label} tabIndex={0} onScroll={measure}>
      <div class="rows-space" role="presentation" style={{ blockSize: `${items.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {shown.map(rowOf)}
        </div>
      </div>
    </div>
  );
  return head === undefined ? rows : <Table head={head}>{rows}</Table>;
}

function Table({ head, children }: { readonly head: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div class="table">
      <div class="row row-head" aria-hidden="true">
        {head}
      </div>
      {children}
    </div>
  );
}

/** Keys that select the row after and before a position. */
function useRowKeys(count: number, position: number, select: (index: number) => void) {
  const next = () => select(Math.min(position + 1, count - 1));
  const previous = () => select(Math.max(position - 1, 0));
  useKeys({ j: next, k: previous, ArrowDown: next, ArrowUp: previous });
}

/** Measures which rows are in view, and keeps them where they are while others arrive above. */
function useRows<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const list = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 600, rowHeight: 28 });
  const anchor = useRef<string | undefined>(undefined);

  const measure = () => {
    const element = list.current;
    if (element === null) return;
    const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 28;
    const next = { top: element.scrollTop, height: element.clientHeight, rowHeight };
    const { top, height, rowHeight: before } = view.peek();
    if (next.top !== top || next.height !== height || rowHeight !== before) view.value = next;
    const first = items[Math.floor(element.scrollTop / rowHeight)];
    anchor.current = element.scrollTop < rowHeight || first === undefined ? undefined : keyOf(first);
  };
  const latestMeasure = useRef(measure);
  latestMeasure.current = measure;
  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    // An observer reports at once: a new one for each drawing would draw without end.
    const observer = new ResizeObserver(() => latestMeasure.current());
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Rows that arrive above those in view would push them down.
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null || anchor.current === undefined) return;
    const { rowHeight } = view.peek();
    const index = items.findIndex((item) => keyOf(item) === anchor.current);
    if (index < 0) return;
    const top = index * rowHeight + (element.scrollTop % rowHeight);
    if (Math.abs(top - element.scrollTop) >= rowHeight) element.scrollTop = top;
  }, [items]);
  const reveal = (index: number) => {
    const element = list.current;
    if (element === null) return;
    const { rowHeight } = view.peek();
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  };
  return { list, view, measure, reveal };
}
