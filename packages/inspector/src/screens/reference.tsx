import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { LoadError, Screen } from "../parts/screen.tsx";

/** The screen Reference. Its code is a file of its own, which is read when the screen is shown. */
export function Reference() {
  const loaded = useSignal<{ readonly Content: ComponentType } | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    import("./reference/reference-screen.tsx").then(
      ({ ReferenceScreen }) => {
        loaded.value = { Content: ReferenceScreen };
      },
      (reason: unknown) => {
        error.value = `The reference could not be loaded. Reload the page. ${String(reason)}`;
      },
    );
  }, []);
  if (loaded.value !== undefined) return <loaded.value.Content />;
  return (
    <Screen title="Reference">
      <LoadError error={error.value} />
    </Screen>
  );
}
