/** The drawings of the icons: paths on a grid of 16, drawn with a line. */
const paths = {
  traffic: "M2 5h9m0 0L8 2m3 3L8 8M14 11H5m0 0l3-3m-3 3l3 3",
  transfers: "M2 4h8M2 8h12M2 12h5M10 4h1M7 12h7",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3l2 2",
  webhooks: "M3 12a3 3 0 0 0 5 0l3-6M5 4a3 3 0 1 1 5 2M9 12h4",
  state: "M2 4c0-3 12-3 12 0v8c0 3-12 3-12 0zM2 4c0 3 12 3 12 0M2 8c0 3 12 3 12 0",
  faults: "M8 2l6 11H2zM8 6v3M8 11v.5",
  sandboxes: "M2 5l6-3 6 3-6 3zM2 5v6l6 3 6-3V5M8 8v6",
  coverage: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM10 12l1.5 1.5L14 10",
  reference: "M3 2h8l2 2v10H3zM6 6h4M6 9h4",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5 5h8v9H5zM3 11V2h8",
  play: "M5 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  next: "M3 3l7 5-7 5zM13 3v10",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1M8 14v1M1 8h1M14 8h1M3 3l.7.7M12.300 12.300l.7.7M3 13l.7-.7M12.300 3.700l.7-.7",
  moon: "M13 10A6 6 0 0 1 6 3a6 6 0 1 0 7 7",
  search: "M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2M11 11l3 3",
  keys: "M1 4h14v8H1zM4 7h.01M7 7h.01M10 7h.01M5 10h6",
  arrow: "M3 8h10M9 4l4 4-4 4",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** An icon beside a text: it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
