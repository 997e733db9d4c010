import type { ComponentChildren } from "preact";
import { useSession } from "../data/session/context.ts";

/** A link to a screen of this sandbox. */
export function Link({
  to,
  class: className = "",
  current = false,
  follow,
  children,
}: {
  /** The id of the screen, and what is selected there. */
  readonly to: readonly [screen: string, ...rest: readonly string[]];
  readonly class?: string;
  /** Whether it leads to the screen that is shown. */
  readonly current?: boolean;
  /** Called when it is followed in this page. */
  readonly follow?: () => void;
  readonly children: ComponentChildren;
}) {
  const session = useSession();
  return (
    <a
      class={className}
      href={session.href(...to)}
      {...(current && { "aria-current": "page" })}
      onClick={(event) => {
        // Other clicks open a tab, which the browser does.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        follow?.();
        session.go(...to);
      }}
    >
      {children}
    </a>
  );
}

/** A link that shows the id of what it leads to. */
export function IdLink({ to }: { readonly to: readonly [screen: string, ...rest: readonly string[]] }) {
  return (
    <Link to={to}>
      <code class="code" dir="auto">
        {to.at(-1)}
      </code>
    </Link>
  );
}
