import { Link } from "./link.tsx";

/** Links to the parts of a screen. */
export function Tabs({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly {
    readonly to: readonly [screen: string, ...rest: readonly string[]];
    readonly title: string;
    readonly isCurrent: boolean;
  }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ to, title, isCurrent }) => (
        <Link key={title} class="tab" to={to} current={isCurrent}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
