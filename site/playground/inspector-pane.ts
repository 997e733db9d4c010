import type { MountedInspector } from "@call-transfer/mock-server/inspector";
import type { RemoteBackend } from "./remote-backends.ts";
import type { Colours, View } from "./view.ts";

/** The inspector of a program's backends. */
export interface InspectorPane {
  add(backend: RemoteBackend): void;
  clear(): void;
  show(colours: Colours): void;
}

/** Shows the backends of a program, one at a time, beginning with the first. */
export function createInspectorPane(view: View): InspectorPane {
  const backends: RemoteBackend[] = [];
  let current = 0;
  let colours: Colours = "light";
  let mounted: MountedInspector | undefined;
  let run = 0;

  const close = () => {
    mounted?.unmount();
    mounted = undefined;
  };
  const open = async () => {
    const mine = ++run;
    close();
    const { mountInspector } = await import("@call-transfer/mock-server/inspector");
    const backend = backends[current];
    if (mine !== run || backend === undefined) return;
    view.showInspector(true);
    mounted = mountInspector(view.inspector, backend, { baseUrl: "http://localhost", theme: colours });
  };

  view.onBackend((index) => {
    current = index;
    void open();
  });
  return {
    add(backend) {
      backends.push(backend);
      view.countBackends(backends.length, current);
      if (backends.length === 1) void open();
    },
    clear() {
      run += 1;
      close();
      backends.length = 0;
      current = 0;
      view.countBackends(0, 0);
      view.showInspector(false);
    },
    show(next) {
      if (colours === next) return;
      colours = next;
      if (mounted) void open();
    },
  };
}
