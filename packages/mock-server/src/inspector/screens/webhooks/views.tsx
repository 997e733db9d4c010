import { Link } from "../../parts/link.tsx";

const views = [
  { id: "deliveries", title: "Deliveries", to: ["webhooks"] },
  { id: "receivers", title: "Receivers", to: ["webhooks", "receivers"] },
  { id: "inbox", title: "Inbox", to: ["webhooks", "inbox"] },
] as const;

/** Links to the views of the screen. */
export function Views({ current }: { readonly current: (typeof views)[number]["id"] }) {
  return (
    <nav class="views" aria-label="Views of webhooks">
      {views.map(({ id, title, to }) => (
        <Link key={id} class="view" to={to} current={id === current}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
