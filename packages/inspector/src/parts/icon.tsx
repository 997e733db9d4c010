/** The drawings of the icons: paths on a grid of 16, drawn with a line. */
const paths = {
  product: "M2 4h8M2 8h12M2 12h5M10 4h1M7 12h7",
  events: "M2 5h9m0 0L8 2m3 3L8 8M14 11H5m0 0l3-3m-3 3l3 3",
  calls: "M4 2l2 3-1.500 1.500a8 8 0 0 0 5 5L11 10l3 2c0 1-1 2-2 2A10 10 0 0 1 2 4c0-1 1-2 2-2",
  webhooks: "M3 12a3 3 0 0 0 5 0l3-6M5 4a3 3 0 1 1 5 2M9 12h4",
  errors: "M8 2l6 11H2zM8 6v3M8 11v.5",
  records: "M2 4c0-3 12-3 12 0v8c0 3-12 3-12 0zM2 4c0 3 12 3 12 0M2 8c0 3 12 3 12 0",
  sandbox: "M2 5l6-3 6 3-6 3zM2 5v6l6 3 6-3V5M8 8v6",
  timer: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3l2 2",
  policies: "M2 4h6M11 4h3M2 12h3M8 12h6M9.500 2.500v3M6.500 10.500v3M2 8h9M14 8h0M12.500 6.500v3",
  credentials: "M9 7a3 3 0 1 1 0 .1M8.500 8.500L3 14M5 12l2 2",
  open: "M5 7l3 3 3-3",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5 5h8v9H5zM3 11V2h8",
  play: "M5 3l8 5-8 5z",
  pause: "M5 3v10M11 3v10",
  next: "M3 3l7 5-7 5zM13 3v10",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  keys: "M1 4h14v8H1zM4 7h.01M7 7h.01M10 7h.01M5 10h6",
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
