import { Tabs } from "../../parts/tabs.tsx";

const views = [
  { id: "deliveries", title: "Deliveries", to: ["webhooks"] },
  { id: "receivers", title: "Receivers", to: ["webhooks", "receivers"] },
  { id: "inbox", title: "Inbox", to: ["webhooks", "inbox"] },
] as const;

/** Links to the views of the screen. */
export function Views({ current }: { readonly current: (typeof views)[number]["id"] }) {
  return (
    <Tabs
      label="Views of webhooks"
      tabs={views.map(({ id, title, to }) => ({ title, to, isCurrent: id === current }))}
    />
  );
}
